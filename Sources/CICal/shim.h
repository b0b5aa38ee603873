#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// What is used of libical.so.3, declared here: its headers come in a package that brings those of ICU and Berkeley DB along. Names, numbers and
// structures are those of its release 3.0, which its library keeps. It is loaded when a calendar is read, so whoever reads none need not have it.

typedef struct icalparser_impl icalparser;
typedef struct icalcomponent_impl icalcomponent;
typedef struct icalproperty_impl icalproperty;
typedef struct icalvalue_impl icalvalue;
typedef struct _icaltimezone icaltimezone;

struct icaltimetype {
  int year, month, day, hour, minute, second, is_date, is_daylight;
  const icaltimezone *zone;
};

struct icaldurationtype {
  int is_neg;
  unsigned int days, weeks, hours, minutes, seconds;
};

enum {
  ICAL_ANY_PROPERTY = 0,
  ICAL_TEXT_VALUE = 5008,
  ICAL_DURATION_VALUE = 5020,
  ICAL_X_VALUE = 5022,
  ICAL_DATETIME_VALUE = 5028,
};

struct ical_library {
  icalparser *(*parser_new)(void);
  icalcomponent *(*parser_add_line)(icalparser *parser, char *line);
  void (*parser_free)(icalparser *parser);
  icalproperty *(*first_property)(icalcomponent *component, int kind);
  icalproperty *(*next_property)(icalcomponent *component, int kind);
  int (*count_errors)(icalcomponent *component);
  void (*component_free)(icalcomponent *component);
  char *(*property_name)(const icalproperty *property);
  icalvalue *(*property_value)(const icalproperty *property);
  char *(*property_parameter)(icalproperty *property, const char *name);
  int (*value_kind)(const icalvalue *value);
  const char *(*value_text)(const icalvalue *value);
  const char *(*value_x)(const icalvalue *value);
  struct icaltimetype (*value_datetime)(const icalvalue *value);
  struct icaldurationtype (*value_duration)(const icalvalue *value);
  char *(*value_string)(const icalvalue *value);
  icaltimezone *(*zone_new)(void);
  int (*zone_set_component)(icaltimezone *zone, icalcomponent *component);
  int (*zone_offset)(icaltimezone *zone, struct icaltimetype *time, int *is_daylight);
  void (*zone_free)(icaltimezone *zone, int frees_structure);
  void (*buffer_free)(void *buffer);
};

// Whether all of it is there.
static inline bool ical_library_load(struct ical_library *library) {
  void *handle = dlopen("libical.so.3", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (handle == NULL) return false;
#define ICAL_BIND(field, name) ((library->field = (__typeof__(library->field))dlsym(handle, name)) != NULL)
  bool is_whole = ICAL_BIND(parser_new, "icalparser_new") && ICAL_BIND(parser_add_line, "icalparser_add_line") &&
                  ICAL_BIND(parser_free, "icalparser_free") &&
                  ICAL_BIND(first_property, "icalcomponent_get_first_property") &&
                  ICAL_BIND(next_property, "icalcomponent_get_next_property") &&
                  ICAL_BIND(count_errors, "icalcomponent_count_errors") &&
                  ICAL_BIND(component_free, "icalcomponent_free") &&
                  ICAL_BIND(property_name, "icalproperty_get_property_name_r") &&
                  ICAL_BIND(property_value, "icalproperty_get_value") &&
                  ICAL_BIND(property_parameter, "icalproperty_get_parameter_as_string_r") &&
                  ICAL_BIND(value_kind, "icalvalue_isa") && ICAL_BIND(value_text, "icalvalue_get_text") &&
                  ICAL_BIND(value_x, "icalvalue_get_x") && ICAL_BIND(value_datetime, "icalvalue_get_datetime") &&
                  ICAL_BIND(value_duration, "icalvalue_get_duration") &&
                  ICAL_BIND(value_string, "icalvalue_as_ical_string_r") && ICAL_BIND(zone_new, "icaltimezone_new") &&
                  ICAL_BIND(zone_set_component, "icaltimezone_set_component") &&
                  ICAL_BIND(zone_offset, "icaltimezone_get_utc_offset") && ICAL_BIND(zone_free, "icaltimezone_free") &&
                  ICAL_BIND(buffer_free, "icalmemory_free_buffer");
#undef ICAL_BIND
  return is_whole;
}
