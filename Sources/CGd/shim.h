#include <dlfcn.h>
#include <gd.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

// libgd brings fifty other libraries, and a program that is linked with it starts 10 ms later. So it is loaded when the first picture is
// decoded, and whoever never looks at one need not have it. The types are those of its header: a function that changes does not compile.
struct gd_library {
  __typeof__(&gdImageCreateFromJpegPtrEx) read_jpeg;
  __typeof__(&gdImageCreateFromPngPtr) read_png;
  __typeof__(&gdImageCreateFromGifPtr) read_gif;
  __typeof__(&gdImageCreateFromWebpPtr) read_webp;
  __typeof__(&gdImageCreateTrueColor) create;
  __typeof__(&gdImageAlphaBlending) set_blending;
  __typeof__(&gdImageSaveAlpha) set_saves_alpha;
  __typeof__(&gdImageFilledRectangle) fill;
  __typeof__(&gdImageCopyResampled) resample;
  __typeof__(&gdImageGetTrueColorPixel) pixel;
  __typeof__(&gdImageSetPixel) set_pixel;
  __typeof__(&gdImageJpegPtr) write_jpeg;
  __typeof__(&gdImagePngPtrEx) write_png;
  __typeof__(&gdImageDestroy) destroy;
  __typeof__(&gdFree) free;
  __typeof__(&gdSetErrorMethod) set_error_method;
};

// What it thinks of a file is told by its answer; it would say it on standard error as well.
static inline void gd_library_say_nothing(int priority, const char *format, va_list arguments) {}

// Whether all of it is there.
static inline bool gd_library_load(struct gd_library *library) {
  void *handle = dlopen("libgd.so.3", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (handle == NULL) return false;
#define GD_BIND(field, function) ((library->field = (__typeof__(&function))dlsym(handle, #function)) != NULL)
  bool is_whole = GD_BIND(read_jpeg, gdImageCreateFromJpegPtrEx) && GD_BIND(read_png, gdImageCreateFromPngPtr) &&
                  GD_BIND(read_gif, gdImageCreateFromGifPtr) && GD_BIND(read_webp, gdImageCreateFromWebpPtr) &&
                  GD_BIND(create, gdImageCreateTrueColor) && GD_BIND(set_blending, gdImageAlphaBlending) &&
                  GD_BIND(set_saves_alpha, gdImageSaveAlpha) && GD_BIND(fill, gdImageFilledRectangle) &&
                  GD_BIND(resample, gdImageCopyResampled) && GD_BIND(pixel, gdImageGetTrueColorPixel) &&
                  GD_BIND(set_pixel, gdImageSetPixel) && GD_BIND(write_jpeg, gdImageJpegPtr) &&
                  GD_BIND(write_png, gdImagePngPtrEx) && GD_BIND(destroy, gdImageDestroy) && GD_BIND(free, gdFree) &&
                  GD_BIND(set_error_method, gdSetErrorMethod);
#undef GD_BIND
  if (is_whole) library->set_error_method(gd_library_say_nothing);
  return is_whole;
}
