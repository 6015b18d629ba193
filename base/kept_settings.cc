#include "base/settings.h"

/// Settings that are put back one by one.
namespace gnomon {

Settings::Kept Settings::keep(std::string_view name) const {
  Kept kept;
  kept.name = name;
  if (CustomSettings::hasDot(name)) {
    if (const std::string* const value = custom_.find(name)) kept.text = *value;
    return kept;
  }
  const size_t i = index(findSetting(name).id);
  kept.text = current_[i].text;
  kept.number = current_[i].number;
  kept.reset_text = reset_[i].text;
  kept.reset_number = reset_[i].number;
  return kept;
}

void Settings::putBack(const Kept& kept) {
  if (CustomSettings::hasDot(kept.name)) return custom_.set(kept.name, kept.text, false, noteChange());
  const size_t i = index(findSetting(kept.name).id);
  current_[i] = {kept.text, kept.number, noteChange()};
  reset_[i] = {kept.reset_text, kept.reset_number};
}

uint64_t Settings::changeOf(std::string_view name) const {
  return CustomSettings::hasDot(name) ? custom_.changeOf(name) : current_[index(findSetting(name).id)].change;
}

}  // namespace gnomon
