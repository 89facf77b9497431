// What a server says about itself: its version, its health, the paths it knows.
import { type WholeAnswer, pageNotFound, wholeAnswer } from './http-exchange.ts';
import { JSON_TYPE } from './media-type.ts';
import type { ServedApis } from './served-apis.ts';
import { apiVersionOf } from '../../kube/object.ts';

const PLAIN_TEXT = 'text/plain; charset=utf-8';

/** The Kubernetes version whose behaviour is served. Programs choose their own behaviour by it. */
const VERSION = {
  major: '1',
  minor: '36',
  gitVersion: 'v1.36.3+mooring',
  gitCommit: '',
  gitTreeState: 'clean',
  buildDate: '1970-01-01T00:00:00Z',
  goVersion: 'none',
  compiler: 'none',
  platform: 'linux/amd64',
};

export const versionDocument = (): WholeAnswer => wholeAnswer(200, JSON_TYPE, JSON.stringify(VERSION, undefined, 2));

/** Names of checks, and whether each holds. */
export type HealthChecks = Readonly<Record<string, () => boolean>>;

/** `/livez`, `/livez/ping`; `verbose` tells each check. */
export function healthDocument(words: readonly string[], query: URLSearchParams, checks: HealthChecks): WholeAnswer {
  const [endpoint = '', check] = words;
  if (words.length > 2) return pageNotFound();
  if (check !== undefined) {
    const holds = Object.hasOwn(checks, check) ? checks[check] : undefined;
    if (holds === undefined) return pageNotFound();
    return holds()
      ? wholeAnswer(200, PLAIN_TEXT, 'ok')
      : wholeAnswer(500, PLAIN_TEXT, 'internal server error: not ok\n');
  }
  const excluded = new Set(query.getAll('exclude'));
  const results = Object.entries(checks).map(([name, holds]) => [name, excluded.has(name) || holds()] as const);
  const lines = results.map(([name, holds]) => (holds ? `[+]${name} ok` : `[-]${name} failed: reason withheld`));
  if (results.some(([, holds]) => !holds)) {
    return wholeAnswer(500, PLAIN_TEXT, `${[...lines, `${endpoint} check failed`].join('\n')}\n`);
  }
  if (!query.has('verbose')) return wholeAnswer(200, PLAIN_TEXT, 'ok');
  return wholeAnswer(200, PLAIN_TEXT, `${[...lines, `${endpoint} check passed`].join('\n')}\n`);
}

/** `/` */
export function pathsDocument({ all }: ServedApis): WholeAnswer {
  const versions = all.map((api) => `${api.group === '' ? '/api' : '/apis'}/${apiVersionOf(api)}`);
  const groups = all.filter(({ group }) => group !== '').map(({ group }) => `/apis/${group}`);
  const own = ['/api', '/apis', '/healthz', '/livez', '/readyz', '/version'];
  const paths = [...new Set([...own, ...groups, ...versions])].toSorted();
  return wholeAnswer(200, JSON_TYPE, JSON.stringify({ paths }, undefined, 2));
}
