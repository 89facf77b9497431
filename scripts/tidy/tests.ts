// What tests owe: every numbered promise of a room has a test that carries its number, and no test is quietly left out.
import { type Expression, type Node, Visitor } from 'oxc-parser';
import { STRANGERS } from '../layers.ts';
import { type Finding, type Module, type SourceFile, isTest, lineOf } from './source.ts';

const PROMISE = /\bP-[A-Z][A-Z0-9]*-\d+\b/g;
/** A line of a README that makes a promise begins with its number, in a list, a table or a heading. */
const PROMISE_LINE = /^[\s>|#*_`-]*(?:\d+\.\s+)?[*_`|\s]*(P-[A-Z][A-Z0-9]*-\d+)\b/;
const RUNNERS = new Set(['test', 'it', 'describe', 'suite', 'bench', 'story']);
const LEFT_OUT = new Set(['skip', 'todo', 'skipIf', 'runIf', 'fails']);

interface Place {
  readonly path: string;
  readonly line: number;
}

/** Where each number is promised first; a second room that uses the number is a finding. */
function promisesOf(files: readonly SourceFile[], findings: Finding[]): Map<string, Place> {
  const promises = new Map<string, Place>();
  for (const { path, text } of files) {
    if (!path.startsWith('src/') || !path.endsWith('/README.md')) continue;
    for (const [index, content] of text.split('\n').entries()) {
      const id = PROMISE_LINE.exec(content)?.[1];
      const first = id === undefined ? undefined : promises.get(id);
      if (id === undefined || first?.path === path) continue;
      const place = { path, line: index + 1 };
      if (first === undefined) promises.set(id, place);
      else findings.push({ check: 'promise', ...place, says: `${id} is already promised in ${first.path}` });
    }
  }
  return promises;
}

/** Numbers in the strings of a test file. A number in a comment proves nothing: no report prints it. */
function carriedBy(module: Module): Map<string, number> {
  const carried = new Map<string, number>();
  const collect = (text: string, at: number): void => {
    for (const [id] of text.matchAll(PROMISE)) if (!carried.has(id)) carried.set(id, at);
  };
  new Visitor({
    Literal(node) {
      if (typeof node.value === 'string') collect(node.value, node.start);
    },
    TemplateElement(node) {
      collect(node.value.raw, node.start);
    },
  }).visit(module.program);
  return carried;
}

export function checkPromises(files: readonly SourceFile[], modules: readonly Module[]): Finding[] {
  const findings: Finding[] = [];
  const promises = promisesOf(files, findings);
  const kept = new Set<string>();
  for (const module of modules) {
    // The tests of tidy itself speak of promises that nobody makes.
    if (!isTest(module.path) || module.path.startsWith('scripts/')) continue;
    for (const [id, at] of carriedBy(module)) {
      kept.add(id);
      if (promises.has(id)) continue;
      const line = lineOf(module.text, at);
      findings.push({ check: 'promise', path: module.path, line, says: `${id} is promised in no README of a room` });
    }
  }
  for (const [id, place] of promises) {
    if (!kept.has(id)) findings.push({ check: 'promise', ...place, says: `no test name carries ${id}` });
  }
  return findings;
}

/** `test.concurrent.skip` -> ['test', 'concurrent', 'skip']; undefined if it is no plain chain. */
function chainOf(expression: Expression): string[] | undefined {
  if (expression.type === 'Identifier') return [expression.name];
  if (expression.type === 'CallExpression') return chainOf(expression.callee);
  if (expression.type !== 'MemberExpression' || expression.computed || expression.property.type !== 'Identifier')
    return undefined;
  const left = expression.object.type === 'Super' ? undefined : chainOf(expression.object);
  return left === undefined ? undefined : [...left, expression.property.name];
}

/** A skipped test says why, where the reader is: `// skipped: needs root` on its line or on the line before. */
function saysWhy(module: Module, node: Node): boolean {
  const line = lineOf(module.text, node.start);
  return module.comments.some((comment) => {
    const distance = line - lineOf(module.text, comment.end);
    return (distance === 0 || distance === 1) && /^\s*skipped: \S/.test(comment.value);
  });
}

export function checkLeftOut(modules: readonly Module[]): Finding[] {
  const findings: Finding[] = [];
  for (const module of modules) {
    if (!isTest(module.path)) continue;
    const find = (node: Node, says: string): void => {
      findings.push({ check: 'left-out', path: module.path, line: lineOf(module.text, node.start), says });
    };
    new Visitor({
      MemberExpression(node) {
        const [runner = '', ...rest] = chainOf(node) ?? [];
        const last = rest.at(-1) ?? '';
        if (!RUNNERS.has(runner)) return;
        if (last === 'only') find(node, `${runner}.only leaves all other tests out`);
        if (LEFT_OUT.has(last) && !saysWhy(module, node))
          find(node, `${runner}.${last} needs a comment: // skipped: why`);
      },
    }).visit(module.program);
  }
  return findings;
}

/** Folders that are rooms: those of src/, and the strangers. */
function roomFolderOf(path: string): string[] {
  const parts = path.split('/').slice(1, -1);
  const [room] = parts;
  if (!path.startsWith('src/') || room === undefined) return [];
  const folders = [room];
  for (let depth = 1; depth < parts.length; depth += 1) {
    if (STRANGERS.includes(parts.slice(0, depth).join('/'))) folders.push(parts.slice(0, depth + 1).join('/'));
  }
  return folders;
}

export function checkReadmes(files: readonly SourceFile[]): Finding[] {
  const paths = new Set(files.map((file) => file.path));
  const rooms = new Set(files.filter((file) => file.path.endsWith('.ts')).flatMap((file) => roomFolderOf(file.path)));
  const missing = [...rooms].map((room) => `src/${room}/README.md`).filter((path) => !paths.has(path));
  return missing.map((path) => ({ check: 'readme', path, line: 1, says: 'every room says what it does and promises' }));
}
