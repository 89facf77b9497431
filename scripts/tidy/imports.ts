// Layers, strangers and cycles, read from the imports of every module.
import { posix } from 'node:path';
import { whyNotImport } from '../layers.ts';
import { type Finding, type Import, type Module, isTest, lineOf } from './source.ts';

const SOURCE = 'src/';

/** The file that a relative import names; undefined for a package or a node module. */
function targetOf(module: Module, each: Import): string | undefined {
  if (!each.specifier.startsWith('.')) return undefined;
  return posix.join(posix.dirname(module.path), each.specifier);
}

/** What ships imports only what ships, in the order of the layers. A test may also stand on the server in memory. */
function whyNot(from: string, to: string): string | undefined {
  // The manifest ships beside the program, which reads its version there.
  if (to === 'package.json' && from.startsWith('src/cli/')) return undefined;
  if (!to.startsWith(SOURCE)) return isTest(from) ? undefined : `${to} does not ship: only tests and scripts import it`;
  const because = whyNotImport(from.slice(SOURCE.length), to.slice(SOURCE.length));
  const standsOnServer = isTest(from) && to.startsWith('src/apiserver/');
  return standsOnServer ? undefined : because;
}

export function checkLayers(modules: readonly Module[]): Finding[] {
  const findings: Finding[] = [];
  for (const module of modules) {
    if (!module.path.startsWith(SOURCE)) continue;
    for (const each of module.imports) {
      const target = targetOf(module, each);
      const says = target === undefined ? undefined : whyNot(module.path, target);
      if (says !== undefined) {
        findings.push({ check: 'layers', path: module.path, line: lineOf(module.text, each.at), says });
      }
    }
  }
  return findings;
}

/** Every tool agrees on what an import names only if it names the file itself. */
export function checkSpecifiers(modules: readonly Module[]): Finding[] {
  const findings: Finding[] = [];
  for (const module of modules) {
    for (const each of module.imports) {
      const target = targetOf(module, each);
      if (target === undefined || /\.(?:ts|mjs|json)$/.test(target)) continue;
      const says = `import ${each.specifier} by the name of its file, with its .ts ending`;
      findings.push({ check: 'specifier', path: module.path, line: lineOf(module.text, each.at), says });
    }
  }
  return findings;
}

interface Visit {
  readonly path: string;
  /** Next import of `path` to follow. */
  next: number;
}

/** The first cycle that is reached from `start`, as the files along it; `clean` collects files on no cycle. */
function cycleFrom(start: string, graph: ReadonlyMap<string, readonly string[]>, clean: Set<string>): string[] {
  const stack: Visit[] = [{ path: start, next: 0 }];
  const onStack = new Set([start]);
  for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
    const target = graph.get(top.path)?.[top.next++];
    if (target === undefined) {
      clean.add(top.path);
      onStack.delete(top.path);
      stack.pop();
    } else if (onStack.has(target)) {
      const paths = stack.map((visit) => visit.path);
      return [...paths.slice(paths.indexOf(target)), target];
    } else if (!clean.has(target)) {
      stack.push({ path: target, next: 0 });
      onStack.add(target);
    }
  }
  return [];
}

/** Cycles between files, type-only imports included: two files that need each other's words are one file, or three. */
export function checkCycles(modules: readonly Module[]): Finding[] {
  const graph = new Map<string, string[]>();
  for (const module of modules) {
    graph.set(
      module.path,
      module.imports.map((each) => targetOf(module, each)).filter((target) => target !== undefined),
    );
  }
  const findings: Finding[] = [];
  const clean = new Set<string>();
  for (const path of graph.keys()) {
    const cycle = clean.has(path) ? [] : cycleFrom(path, graph, clean);
    if (cycle.length === 0) continue;
    // One finding a cycle: what is on it is not looked at again.
    for (const each of cycle) clean.add(each);
    findings.push({ check: 'cycle', path: cycle[0] ?? path, line: 1, says: `imports itself: ${cycle.join(' -> ')}` });
  }
  return findings;
}
