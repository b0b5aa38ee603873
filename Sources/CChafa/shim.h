#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// What is used of libchafa.so.0, declared here: its header wants glib's, which bring fourteen packages and which Debian's libchafa-dev forgets.
// Names and numbers are chafa's (since 1.6), which its library keeps. It is loaded when the first picture is drawn, for the reason that
// stands in CGd.

typedef struct ChafaSymbolMap ChafaSymbolMap;
typedef struct ChafaCanvasConfig ChafaCanvasConfig;
typedef struct ChafaCanvas ChafaCanvas;
typedef struct ChafaTermDb ChafaTermDb;
typedef struct ChafaTermInfo ChafaTermInfo;

// glib's text.
typedef struct {
  char *str;
  size_t len;
  size_t allocated_len;
} GString;

enum {
  CHAFA_CANVAS_MODE_TRUECOLOR = 0,
  CHAFA_CANVAS_MODE_INDEXED_240 = 2,
  CHAFA_CANVAS_MODE_INDEXED_16 = 3,
  CHAFA_CANVAS_MODE_FGBG = 5,
  CHAFA_PIXEL_MODE_SYMBOLS = 0,
  CHAFA_PIXEL_MODE_SIXELS = 1,
  CHAFA_PIXEL_MODE_KITTY = 2,
  CHAFA_PIXEL_MODE_ITERM2 = 3,
  CHAFA_PIXEL_RGBA8_UNASSOCIATED = 4,
  CHAFA_TERM_SEQ_SET_COLOR_FG_DIRECT = 31,
  CHAFA_TERM_SEQ_SET_COLOR_FG_256 = 34,
  CHAFA_TERM_SEQ_BEGIN_SIXELS = 40,
  CHAFA_TERM_SEQ_BEGIN_KITTY_IMMEDIATE_IMAGE_V1 = 43,
  CHAFA_TERM_SEQ_BEGIN_ITERM2_IMAGE = 47,
};

struct chafa_library {
  ChafaSymbolMap *(*symbol_map_new)(void);
  void (*symbol_map_unref)(ChafaSymbolMap *map);
  int (*symbol_map_apply_selectors)(ChafaSymbolMap *map, const char *selectors, void *error);
  ChafaCanvasConfig *(*config_new)(void);
  void (*config_unref)(ChafaCanvasConfig *config);
  void (*config_set_geometry)(ChafaCanvasConfig *config, int width, int height);
  void (*config_set_cell_geometry)(ChafaCanvasConfig *config, int width, int height);
  void (*config_set_canvas_mode)(ChafaCanvasConfig *config, int mode);
  void (*config_set_pixel_mode)(ChafaCanvasConfig *config, int mode);
  void (*config_set_symbol_map)(ChafaCanvasConfig *config, const ChafaSymbolMap *map);
  ChafaCanvas *(*canvas_new)(const ChafaCanvasConfig *config);
  void (*canvas_unref)(ChafaCanvas *canvas);
  void (*canvas_draw_all_pixels)(
      ChafaCanvas *canvas, int type, const uint8_t *pixels, int width, int height, int row_stride);
  GString *(*canvas_print)(ChafaCanvas *canvas, ChafaTermInfo *info);
  ChafaTermDb *(*term_db_get_default)(void);
  ChafaTermInfo *(*term_db_detect)(ChafaTermDb *db, char **environment);
  ChafaTermInfo *(*term_db_get_fallback_info)(ChafaTermDb *db);
  int (*term_info_have_seq)(const ChafaTermInfo *info, int sequence);
  void (*term_info_unref)(ChafaTermInfo *info);
  char *(*string_free)(GString *string, int free_segment);
};

// Whether all of it is there.
static inline bool chafa_library_load(struct chafa_library *library) {
  void *handle = dlopen("libchafa.so.0", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (handle == NULL) return false;
#define CHAFA_BIND(field, name) ((library->field = (__typeof__(library->field))dlsym(handle, name)) != NULL)
  bool is_whole = CHAFA_BIND(symbol_map_new, "chafa_symbol_map_new") &&
                  CHAFA_BIND(symbol_map_unref, "chafa_symbol_map_unref") &&
                  CHAFA_BIND(symbol_map_apply_selectors, "chafa_symbol_map_apply_selectors") &&
                  CHAFA_BIND(config_new, "chafa_canvas_config_new") &&
                  CHAFA_BIND(config_unref, "chafa_canvas_config_unref") &&
                  CHAFA_BIND(config_set_geometry, "chafa_canvas_config_set_geometry") &&
                  CHAFA_BIND(config_set_cell_geometry, "chafa_canvas_config_set_cell_geometry") &&
                  CHAFA_BIND(config_set_canvas_mode, "chafa_canvas_config_set_canvas_mode") &&
                  CHAFA_BIND(config_set_pixel_mode, "chafa_canvas_config_set_pixel_mode") &&
                  CHAFA_BIND(config_set_symbol_map, "chafa_canvas_config_set_symbol_map") &&
                  CHAFA_BIND(canvas_new, "chafa_canvas_new") && CHAFA_BIND(canvas_unref, "chafa_canvas_unref") &&
                  CHAFA_BIND(canvas_draw_all_pixels, "chafa_canvas_draw_all_pixels") &&
                  CHAFA_BIND(canvas_print, "chafa_canvas_print") &&
                  CHAFA_BIND(term_db_get_default, "chafa_term_db_get_default") &&
                  CHAFA_BIND(term_db_detect, "chafa_term_db_detect") &&
                  CHAFA_BIND(term_db_get_fallback_info, "chafa_term_db_get_fallback_info") &&
                  CHAFA_BIND(term_info_have_seq, "chafa_term_info_have_seq") &&
                  CHAFA_BIND(term_info_unref, "chafa_term_info_unref") && CHAFA_BIND(string_free, "g_string_free");
#undef CHAFA_BIND
  return is_whole;
}
