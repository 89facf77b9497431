/** In the order in which upstream prints them. kubernetes:pkg/apis/core/v1/helper/helpers.go */
const SHORT_NAMES: readonly (readonly [mode: string, short: string])[] = [
  ['ReadWriteOnce', 'RWO'],
  ['ReadOnlyMany', 'ROX'],
  ['ReadWriteMany', 'RWX'],
  ['ReadWriteOncePod', 'RWOP'],
];

/** `RWO,ROX`: each mode once, in a fixed order, whatever the order of the list. Unknown modes are left out. */
export function accessModesText(modes: readonly string[] = []): string {
  return SHORT_NAMES.filter(([mode]) => modes.includes(mode))
    .map(([, short]) => short)
    .join(',');
}

/** A volume may offer more than is wanted, never less. */
export function offersAccessModes(offered: readonly string[] = [], wanted: readonly string[] = []): boolean {
  return wanted.every((mode) => offered.includes(mode));
}
