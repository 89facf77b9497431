// The table of horizontal pod autoscalers: each metric as what it is now and what it should be.
import { ageOf } from './age.ts';
import { at, listAt, numberAt, textAt } from './field.ts';
import { AGE, NAME, type Printer, text } from './printer.ts';

const METRICS_MAX = 2;
const TARGETS_COLUMN = 2;

export const autoscalerPrinter: Printer = {
  columns: [NAME, ...['Reference', 'Targets', 'MinPods', 'MaxPods', 'Replicas'].map(text), AGE],
  cells: (autoscaler, now) => {
    const least = at(autoscaler, 'spec.minReplicas');
    return [
      autoscaler.metadata.name,
      `${textAt(autoscaler, 'spec.scaleTargetRef.kind')}/${textAt(autoscaler, 'spec.scaleTargetRef.name')}`,
      targetsText(listAt(autoscaler, 'spec.metrics'), listAt(autoscaler, 'status.currentMetrics')),
      typeof least === 'number' ? String(least) : '<unset>',
      numberAt(autoscaler, 'spec.maxReplicas'),
      numberAt(autoscaler, 'status.currentReplicas'),
      ageOf(autoscaler.metadata.creationTimestamp, now),
    ];
  },
};

function targetsText(metrics: readonly unknown[], current: readonly unknown[]): string {
  if (metrics.length === 0) return '<none>';
  const texts = metrics.map((metric, index) => metricText(metric, current[index]));
  const shown = texts.slice(0, METRICS_MAX).join(', ');
  return texts.length > METRICS_MAX ? `${shown} + ${texts.length - METRICS_MAX} more...` : shown;
}

function metricText(metric: unknown, current: unknown): string {
  switch (textAt(metric, 'type')) {
    case 'Resource':
      return resourceText(at(metric, 'resource'), at(current, 'resource.current'));
    case 'ContainerResource':
      return resourceText(at(metric, 'containerResource'), at(current, 'containerResource.current'));
    case 'Pods':
      return `${valueAt(current, 'pods.current.averageValue')}/${valueAt(metric, 'pods.target.averageValue', '0')}`;
    case 'Object':
      return valueText(at(metric, 'object.target'), at(current, 'object.current'));
    case 'External':
      return valueText(at(metric, 'external.target'), at(current, 'external.current'));
    default:
      return '<unknown type>';
  }
}

function resourceText(source: unknown, current: unknown): string {
  const name = textAt(source, 'name');
  if (at(source, 'target.averageValue') !== undefined)
    return `${name}: ${valueAt(current, 'averageValue')}/${valueAt(source, 'target.averageValue')}`;
  return `${name}: ${percentAt(current, 'averageUtilization', '<unknown>')}/${percentAt(source, 'target.averageUtilization', '<auto>')}`;
}

function valueText(target: unknown, current: unknown): string {
  if (at(target, 'averageValue') !== undefined)
    return `${valueAt(current, 'averageValue')}/${valueAt(target, 'averageValue')} (avg)`;
  return `${valueAt(current, 'value')}/${valueAt(target, 'value', '0')}`;
}

/** Quantities come as texts or as numbers. */
function valueAt(value: unknown, path: string, otherwise = '<unknown>'): string {
  const found = at(value, path);
  return typeof found === 'string' || typeof found === 'number' ? String(found) : otherwise;
}

function percentAt(value: unknown, path: string, otherwise: string): string {
  const found = at(value, path);
  return typeof found === 'number' ? `${found}%` : otherwise;
}

/** The older version, whose one target stands in a field and a status of its own. */
export const olderAutoscalerPrinter: Printer = {
  ...autoscalerPrinter,
  cells: (autoscaler, now) => {
    const target = at(autoscaler, 'spec.targetCPUUtilizationPercentage');
    const current = at(autoscaler, 'status.currentCPUUtilizationPercentage');
    const metric = (part: string, averageUtilization: unknown): object => ({
      type: 'Resource',
      resource: { name: 'cpu', [part]: { averageUtilization } },
    });
    const cells = autoscalerPrinter.cells(autoscaler, now);
    const targets = targetsText(
      typeof target === 'number' ? [metric('target', target)] : [],
      typeof current === 'number' ? [metric('current', current)] : [],
    );
    return cells.map((cell, index) => (index === TARGETS_COLUMN ? targets : cell));
  },
};
