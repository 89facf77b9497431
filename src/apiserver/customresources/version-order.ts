// Versions as Kubernetes orders them: general availability before beta before alpha, each newest first, all else after them by
// name. apimachinery:pkg/version/helpers.go

const VERSION = /^v(\d+)(?:(alpha|beta)(\d+))?$/;
const STAGES: Readonly<Record<string, number>> = { alpha: 0, beta: 1 };
const STABLE = 2;

/** Below zero if `left` comes first. */
export function compareVersions(left: string, right: string): number {
  const [a, b] = [VERSION.exec(left), VERSION.exec(right)];
  if (a === null || b === null) {
    if (a === null && b === null) return left < right ? -1 : left > right ? 1 : 0;
    return a === null ? 1 : -1;
  }
  const stage = stageOf(b) - stageOf(a);
  if (stage !== 0) return stage;
  return Number(b[1]) - Number(a[1]) || Number(b[3] ?? 0) - Number(a[3] ?? 0);
}

const stageOf = (version: RegExpExecArray): number => STAGES[version[2] ?? ''] ?? STABLE;
