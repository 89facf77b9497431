import { Option } from 'commander';

export const outputOption = (): Option =>
  new Option('-o, --output <format>', 'format').choices(['table', 'json', 'yaml']).default('table');

/** In the format that was asked for, with the last line's end. */
export async function printed(output: string, data: unknown, table: () => string): Promise<string> {
  if (output === 'json') return `${JSON.stringify(data, undefined, 2)}\n`;
  if (output === 'table') return `${table()}\n`;
  const { yamlText } = await import('./yaml-text.ts');
  return yamlText(data);
}
