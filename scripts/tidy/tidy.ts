// The house's own checks, as one pure function over the files of the repository. What the linter, the compiler and knip
// say is not repeated here.
import { checkBans, checkDirectives } from './bans.ts';
import { checkCycles, checkLayers, checkSpecifiers } from './imports.ts';
import { type Finding, type SourceFile, parseModules } from './source.ts';
import { checkLeftOut, checkPromises, checkReadmes } from './tests.ts';
import { checkLength, checkNames, checkNotes, checkPrivate } from './words.ts';

/** Lets `count` findings of one check in one file pass: no more, and no fewer. */
export interface Exception {
  readonly check: string;
  readonly path: string;
  readonly count: number;
  readonly reason: string;
}

export function findAll(files: readonly SourceFile[]): Finding[] {
  const modules = parseModules(files);
  return [
    ...checkLayers(modules),
    ...checkSpecifiers(modules),
    ...checkCycles(modules),
    ...checkBans(modules),
    ...checkDirectives(modules),
    ...checkNames(files),
    ...checkLength(files),
    ...checkNotes(modules),
    ...checkPrivate(files),
    ...checkReadmes(files),
    ...checkPromises(files, modules),
    ...checkLeftOut(modules),
  ];
}

/** The findings that no exception covers, and the exceptions that cover nothing (any more). */
export function withoutExceptions(findings: readonly Finding[], exceptions: readonly Exception[]): Finding[] {
  const left: Finding[] = [];
  const isOf = (exception: Exception, finding: Finding): boolean =>
    exception.check === finding.check && exception.path === finding.path;
  for (const exception of exceptions) {
    const covered = findings.filter((finding) => isOf(exception, finding)).length;
    if (covered === exception.count && exception.reason !== '') continue;
    const { path, check, count } = exception;
    left.push({ check: 'exception', path, line: 1, says: `${check}: the list allows ${count}, ${covered} found` });
  }
  const isCovered = (finding: Finding): boolean => exceptions.some((exception) => isOf(exception, finding));
  return [...left, ...findings.filter((finding) => !isCovered(finding))];
}

export function tidy(files: readonly SourceFile[], exceptions: readonly Exception[]): Finding[] {
  const byPlace = (a: Finding, b: Finding): number => {
    if (a.path !== b.path) return a.path < b.path ? -1 : 1;
    return a.line - b.line;
  };
  return withoutExceptions(findAll(files), exceptions).sort(byPlace);
}
