// In a module of its own, so that only a command that prints YAML loads the library.
import { parse, stringify } from 'yaml';

export const yamlText = (value: unknown): string => stringify(value);

export const valueOfYaml = (text: string): unknown => parse(text) as unknown;
