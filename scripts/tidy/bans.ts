// Bans that the linter cannot express. Each names what to use instead. Most serve one promise: equal seeds give equal runs,
// so nothing in the engine may depend on the hour, the machine's language or time zone, the garbage collector or on what
// another module left behind at import.
import {
  type BindingPattern,
  type Expression,
  type Node,
  type Statement,
  type VariableDeclaration,
  Visitor,
} from 'oxc-parser';
import { type Finding, type Module, isTest, lineOf } from './source.ts';

const CLOCK = 'use the handed clock: clock.now()';
const ORDER = "compare code units (a < b ? -1 : a > b ? 1 : 0): the answer must not depend on the machine's language";
const ZONE = 'use the UTC methods: the answer must not depend on where the machine stands';

/** Methods that read the language or the time zone of the machine, with what to use instead. */
const LOCAL_METHODS: ReadonlyMap<string, string> = new Map([
  ['localeCompare', ORDER],
  ['toLocaleString', ORDER],
  ['toLocaleLowerCase', ORDER],
  ['toLocaleUpperCase', ORDER],
  ['toLocaleDateString', ZONE],
  ['toLocaleTimeString', ZONE],
  ['getTimezoneOffset', ZONE],
  ['getFullYear', ZONE],
  ['getMonth', ZONE],
  ['getDate', ZONE],
  ['getDay', ZONE],
  ['getHours', ZONE],
  ['getMinutes', ZONE],
]);
/** Globals whose answers depend on the garbage collector or on the machine. */
const UNEVEN_GLOBALS: ReadonlyMap<string, string> = new Map([
  ['WeakRef', 'own the reference and end its life yourself: collection happens at no fixed moment'],
  ['FinalizationRegistry', 'own the reference and end its life yourself: collection happens at no fixed moment'],
  ['Intl', ORDER],
]);
/** A WeakMap is left out: it cannot be walked, so all it can be is the memo of a pure function of frozen objects. */
const CONTAINERS = new Set(['Map', 'Set', 'Array']);

/** Rooms that may read real time: the clocks themselves and what hands them out. */
function mayReadTime(path: string): boolean {
  return /^src\/base\/[a-z-]*-clock\.ts$/.test(path) || path.startsWith('src/worlds/') || path.startsWith('src/cli/');
}

interface Ban {
  readonly check: string;
  readonly node: Node;
  readonly says: string;
}

function nameOf(expression: Expression | { readonly type: string }): string | undefined {
  return 'name' in expression && typeof expression.name === 'string' ? expression.name : undefined;
}

/** `new Date()` reads the hour; `new Date(2026, 0, 1)` reads the time zone. One argument is a pure conversion. */
function collectTime(module: Module, ban: (found: Ban) => void): void {
  new Visitor({
    NewExpression(node) {
      if (nameOf(node.callee) !== 'Date' || node.arguments.length === 1) return;
      const says = node.arguments.length === 0 ? `new Date() reads the hour: ${CLOCK}` : `new Date(y, m, …): ${ZONE}`;
      ban({ check: 'real-time', node, says });
    },
    CallExpression(node) {
      if (nameOf(node.callee) === 'Date') ban({ check: 'real-time', node, says: `Date() reads the hour: ${CLOCK}` });
    },
  }).visit(module.program);
}

function collectUneven(module: Module, ban: (found: Ban) => void): void {
  new Visitor({
    MemberExpression(node) {
      const says = node.computed ? undefined : LOCAL_METHODS.get(nameOf(node.property) ?? '');
      if (says !== undefined) ban({ check: 'determinism', node, says: `${nameOf(node.property)}: ${says}` });
    },
    Identifier(node) {
      const says = UNEVEN_GLOBALS.get(node.name);
      if (says !== undefined) ban({ check: 'determinism', node, says: `${node.name}: ${says}` });
    },
    ForInStatement(node) {
      ban({ check: 'determinism', node, says: 'for…in walks prototypes: use Object.entries or a Map' });
    },
  }).visit(module.program);
}

/** A container made empty at import is only of use if somebody fills it later. */
function isEmptyContainer(expression: Expression | null): boolean {
  if (expression?.type === 'TSAsExpression') return isEmptyContainer(expression.expression);
  const isContainer = expression?.type === 'NewExpression' && CONTAINERS.has(nameOf(expression.callee) ?? '');
  return isContainer && expression.arguments.length === 0;
}

/** `const NONE: ReadonlySet<string> = new Set()` is an empty constant, not a container to be filled. */
function isReadonly(id: BindingPattern): boolean {
  const type = id.type === 'Identifier' ? id.typeAnnotation?.typeAnnotation : undefined;
  return type?.type === 'TSTypeReference' && (nameOf(type.typeName) ?? '').startsWith('Readonly');
}

const NO_STATE = 'a module holds no state: keep it in an object that somebody constructs';

function collectState(declaration: VariableDeclaration, ban: (found: Ban) => void): void {
  if (declaration.declare === true) return;
  if (declaration.kind === 'let' || declaration.kind === 'var') {
    ban({ check: 'module-state', node: declaration, says: `module-level ${declaration.kind}: ${NO_STATE}` });
    return;
  }
  for (const { id, init } of declaration.declarations) {
    if (!isEmptyContainer(init) || isReadonly(id)) continue;
    ban({ check: 'module-state', node: id, says: `an empty container: ${NO_STATE}` });
  }
}

function collectStatement(statement: Statement, ban: (found: Ban) => void): void {
  const declaration = statement.type === 'ExportNamedDeclaration' ? statement.declaration : statement;
  if (declaration?.type === 'VariableDeclaration') collectState(declaration, ban);
  const isWork = statement.type === 'ExpressionStatement' && !('directive' in statement && statement.directive);
  if (isWork || statement.type === 'ForOfStatement' || statement.type === 'ForStatement') {
    ban({ check: 'module-work', node: statement, says: 'importing a module does no work: put it into a function' });
  }
}

/** `export *` makes a door that nobody can see through; an `index.ts` is one by name. */
function collectBarrels(module: Module, ban: (found: Ban) => void): void {
  const says = 'no barrels: import the file that has it';
  for (const statement of module.program.body) {
    const isReExport = statement.type === 'ExportNamedDeclaration' && statement.source !== null;
    if (statement.type === 'ExportAllDeclaration' || isReExport) ban({ check: 'barrel', node: statement, says });
  }
  if (module.path.endsWith('/index.ts')) ban({ check: 'barrel', node: module.program, says });
}

export function checkBans(modules: readonly Module[]): Finding[] {
  const findings: Finding[] = [];
  for (const module of modules) {
    if (!module.path.startsWith('src/')) continue;
    const ban = ({ check, node, says }: Ban): void => {
      findings.push({ check, path: module.path, line: lineOf(module.text, node.start), says });
    };
    if (!mayReadTime(module.path)) collectTime(module, ban);
    if (!module.path.startsWith('src/cli/')) collectUneven(module, ban);
    // A test file is all work at import, and the program's entry is there to start it.
    if (isTest(module.path)) continue;
    collectBarrels(module, ban);
    if (module.path === 'src/cli/mooring.ts') continue;
    for (const statement of module.program.body) collectStatement(statement, ban);
  }
  return findings;
}

/** Comments that switch a checker off. Each is an exception and is listed as one. */
export function checkDirectives(modules: readonly Module[]): Finding[] {
  const findings: Finding[] = [];
  for (const module of modules) {
    for (const comment of module.comments) {
      const directive = /^\s*(oxlint-disable\S*|eslint-disable\S*|@ts-\w+|oxfmt-ignore)/.exec(comment.value)?.[1];
      if (directive === undefined) continue;
      const says = `${directive} switches a check off: satisfy it, or list it in scripts/tidy-exceptions.ts with a reason`;
      findings.push({ check: 'directive', path: module.path, line: lineOf(module.text, comment.start), says });
    }
  }
  return findings;
}
