// What may not stand in a tracked file at all: names that say nothing, promises of later work, and what belongs to one
// machine or one person.
import { type Finding, type Module, type SourceFile, isRecording, lineOf } from './source.ts';

const FILE_LINES_MAX = 500;
const ROOM_README_LINES_MAX = 120;

/** Names that hold anything and therefore say nothing. */
const EMPTY_NAMES = new Set(['util', 'utils', 'helper', 'helpers', 'common', 'misc', 'shared', 'types']);
/** Those that say nothing even as a part of a name: `claim-utils.ts`. (`shared-volume.ts` does say something.) */
const EMPTY_PARTS = new Set(['util', 'utils', 'helper', 'helpers', 'misc']);

function isCode(path: string): boolean {
  return /^(?:src|test|scripts|console)\//.test(path) && !isRecording(path);
}

export function checkNames(files: readonly SourceFile[]): Finding[] {
  const findings: Finding[] = [];
  for (const { path } of files) {
    if (!isCode(path)) continue;
    for (const segment of path.split('/')) {
      const stem = segment.split('.')[0] ?? '';
      const isEmpty = EMPTY_NAMES.has(stem) || stem.split('-').some((part) => EMPTY_PARTS.has(part));
      if (isEmpty) findings.push({ check: 'name', path, line: 1, says: `${segment} says nothing: find its noun` });
    }
    const file = path.split('/').at(-1) ?? '';
    if (file.endsWith('.ts') && !/^[a-z0-9]+(?:-[a-z0-9]+)*(?:\.[a-z]+)*\.ts$/.test(file)) {
      findings.push({ check: 'name', path, line: 1, says: `${file} is not kebab-case` });
    }
  }
  return findings;
}

export function checkLength(files: readonly SourceFile[]): Finding[] {
  const findings: Finding[] = [];
  for (const { path, text } of files) {
    const isRoomReadme = path.startsWith('src/') && path.endsWith('/README.md');
    if (!isRoomReadme && !(isCode(path) && path.endsWith('.ts'))) continue;
    const limit = isRoomReadme ? ROOM_README_LINES_MAX : FILE_LINES_MAX;
    const lines = text.split('\n').length - (text.endsWith('\n') ? 1 : 0);
    if (lines > limit)
      findings.push({ check: 'length', path, line: limit + 1, says: `${lines} lines, ${limit} is the wall` });
  }
  return findings;
}

/** What is wrong with a note for later; undefined if it names the decision or issue that keeps it alive. */
function wrongNote(word: string, number: string | undefined): string | undefined {
  if (word !== 'TODO') return `${word}: fix it, or write TODO with a number`;
  return number === undefined ? 'TODO needs a number: TODO(0004) or TODO(#12)' : undefined;
}

export function checkNotes(modules: readonly Module[]): Finding[] {
  const findings: Finding[] = [];
  const comments = modules.flatMap((module) => module.comments.map((comment) => ({ module, comment })));
  for (const { module, comment } of comments) {
    for (const note of comment.value.matchAll(/\b(TODO|FIXME|XXX|HACK)\b(\((?:\d{4}|#\d+)\))?/g)) {
      const says = wrongNote(note[1] ?? '', note[2]);
      const line = lineOf(module.text, comment.start + note.index);
      if (says !== undefined) findings.push({ check: 'note', path: module.path, line, says });
    }
  }
  return findings;
}

interface Private {
  readonly pattern: RegExp;
  readonly says: string;
}

const PRIVATE: readonly Private[] = [
  { pattern: /(?<![\w.~-])\/(?:home|Users)\/[a-z][\w.-]*/g, says: 'a path of one machine: use a neutral one' },
  { pattern: /(?<![\w.~/-])\/(?:root|work)\/[\w.-]+/g, says: 'a path of one machine: use a neutral one' },
  { pattern: /\b[A-Z]:\\Users\\/g, says: 'a path of one machine: use a neutral one' },
  {
    pattern:
      /\b(?:registry|npm|artifactory|nexus|mirror|goproxy)\.(?!k8s\.io\b)(?:[a-z0-9-]+\.)*(?:com|org|net|io|dev|cloud|corp|lan)\b/g,
    says: 'a registry host: every registry must do',
  },
  { pattern: /\b[a-z0-9-]+\.(?:svc\.)?(?:corp|intranet|lan)(?::\d+)?\//g, says: 'a host of one network' },
  { pattern: /"resolved":\s*"https?:/g, says: 'the lock names a registry: write it without resolved addresses' },
  {
    pattern: /-----BEGIN [A-Z ]*PRIVATE KEY-----(?:\\n|\s)+[A-Za-z0-9+/]{40}/g,
    says: 'a private key: make one when the test runs',
  },
  { pattern: /\bAKIA[0-9A-Z]{16}\b/g, says: 'an access key' },
  { pattern: /\b(?:ghp|gho|ghs|npm|glpat)[_-][A-Za-z0-9]{30,}\b/g, says: 'an access token' },
  { pattern: /\bxox[abprs]-[A-Za-z0-9-]{20,}/g, says: 'an access token' },
  { pattern: /\b_authToken\s*=/g, says: 'an access token' },
  { pattern: /\beyJ[\w-]{16,}\.eyJ[\w-]{16,}\.[\w-]{16,}/g, says: 'a signed token: make one when the test runs' },
];

export function checkPrivate(files: readonly SourceFile[]): Finding[] {
  const findings: Finding[] = [];
  for (const { path, text } of files) {
    if (isRecording(path)) continue;
    for (const { pattern, says } of PRIVATE) {
      for (const match of text.matchAll(pattern)) {
        findings.push({
          check: 'private',
          path,
          line: lineOf(text, match.index),
          says: `${says} (${match[0].slice(0, 24)}…)`,
        });
      }
    }
  }
  return findings;
}
