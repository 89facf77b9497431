import { describe, expect, it } from 'vitest';
import { play } from './kind-rules-player.ts';

/** Recordings about the rules of single kinds. Those about patches, decoding, tables and the like are played over HTTP. */
const CASES = [
  'admission-default-class',
  'admission-node-taint',
  'admission-protection-finalizers',
  'admission-tolerations',
  'crud-configmap-immutable',
  'crud-put-creates',
  'crud-secret-life',
  'csidriver-defaults-and-immutable',
  'csinode-update-rules',
  'csistoragecapacity-rules',
  'default-deployment',
  'default-pod',
  'default-pvc-pv-sc',
  'default-quantities',
  'default-statefulset',
  'event-series',
  'event-v1-and-new-view',
  'generation-bumps',
  'lease-rules',
  'metadata-validation',
  'names-pvc',
  'namespace-life',
  'pod-binding',
  'pod-eviction',
  'pod-spec-update',
  'pod-volume-kinds',
  'pv-claimref-null',
  'pv-immutable-source',
  'pv-invalid-source',
  'pvc-expand-admission',
  'pvc-immutable-spec',
  'pvc-invalid-basics',
  'pvc-shrink',
  'statefulset-update-rules',
  'status-node-conditions',
  'status-pvc-resize',
  'status-split-pv',
  'status-split-pvc',
  'storageclass-immutable',
  'volumeattachment-immutable-spec',
  'volumeattachment-status',
  'volumeattributesclass-rules',
];

describe('recorded answers of a real server', () => {
  it.each(CASES)('P-REG-1 %s -> the same answers, step by step', (name) => {
    const outcomes = play(name);
    expect(outcomes.map(({ step, actual }) => ({ step, answer: actual }))).toEqual(
      outcomes.map(({ step, expected }) => ({ step, answer: expected })),
    );
  });
});
