// A file as the checks see it: text, and for TypeScript its syntax tree, parsed once and read by all of them.
import { type Comment, type Program, parseSync } from 'oxc-parser';

/** Path from the root of the repository, with forward slashes. */
export interface SourceFile {
  readonly path: string;
  readonly text: string;
}

export interface Import {
  readonly specifier: string;
  readonly at: number;
}

export interface Module extends SourceFile {
  readonly program: Program;
  readonly comments: readonly Comment[];
  readonly imports: readonly Import[];
}

export interface Finding {
  readonly check: string;
  readonly path: string;
  readonly line: number;
  readonly says: string;
}

export function lineOf(text: string, at: number): number {
  let line = 1;
  for (let index = text.indexOf('\n'); index >= 0 && index < at; index = text.indexOf('\n', index + 1)) line += 1;
  return line;
}

export function isTest(path: string): boolean {
  return path.endsWith('.test.ts') || path.startsWith('test/');
}

/** Recordings of real programs and goldens are evidence: copied as they are, never written by us. */
export function isRecording(path: string): boolean {
  return (path.startsWith('test/truth/') || path.startsWith('test/golden/')) && !path.endsWith('.ts');
}

function importsOf(parsed: ReturnType<typeof parseSync>, text: string): Import[] {
  const { staticImports, staticExports, dynamicImports } = parsed.module;
  const imports: Import[] = staticImports.map((each) => ({ specifier: each.moduleRequest.value, at: each.start }));
  for (const { entries, start } of staticExports) {
    for (const { moduleRequest } of entries) {
      if (moduleRequest) imports.push({ specifier: moduleRequest.value, at: start });
    }
  }
  for (const { moduleRequest, start } of dynamicImports) {
    const literal = /^(['"`])(.*)\1$/s.exec(text.slice(moduleRequest.start, moduleRequest.end));
    if (literal?.[2] !== undefined) imports.push({ specifier: literal[2], at: start });
  }
  return imports;
}

/** What cannot be parsed is left out; the compiler says so louder than we could. */
export function parseModules(files: readonly SourceFile[]): Module[] {
  const modules: Module[] = [];
  for (const file of files) {
    if (!file.path.endsWith('.ts')) continue;
    const parsed = parseSync(file.path, file.text, { lang: 'ts', sourceType: 'module' });
    if (parsed.errors.length > 0) continue;
    const { program, comments } = parsed;
    modules.push({ ...file, program, comments, imports: importsOf(parsed, file.text) });
  }
  return modules;
}
