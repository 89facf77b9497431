// Tables as kubectl prints them: no borders, columns as wide as their widest cell, two or three spaces between.
const GAP = '   ';

/** Code points that take two cells of a terminal: East Asian wide and emoji. */
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|[\u{1f300}-\u{1faff}]/gu;
/** Escape, bracket, figures, m. */
const COLOURS = new RegExp(`${String.fromCharCode(27)}\\[[0-9;]*m`, 'g');

function widthOf(text: string): number {
  const plain = text.replace(COLOURS, '');
  return Array.from(plain).length + (plain.match(WIDE)?.length ?? 0);
}

export function printTable(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = header.map((title, column) =>
    Math.max(widthOf(title), ...rows.map((row) => widthOf(row[column] ?? ''))),
  );
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, column) =>
        column === cells.length - 1 ? cell : cell + ' '.repeat((widths[column] ?? 0) - widthOf(cell)),
      )
      .join(GAP)
      .trimEnd();
  return [line(header), ...rows.map(line)].join('\n');
}
