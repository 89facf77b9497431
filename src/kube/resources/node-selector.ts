import { type Infer, always, int32, int64, list, message, of, omitempty, pointer, string, time } from '../schema.ts';

const NodeSelectorRequirementSchema = message('io.k8s.api.core.v1.NodeSelectorRequirement', {
  key: always(1, string),
  operator: always(2, string),
  values: omitempty(3, list(string)),
});
export interface NodeSelectorRequirement extends Infer<typeof NodeSelectorRequirementSchema> {}

const NodeSelectorTermSchema = message(
  'io.k8s.api.core.v1.NodeSelectorTerm',
  {
    matchExpressions: omitempty(1, list(of(NodeSelectorRequirementSchema))),
    matchFields: omitempty(2, list(of(NodeSelectorRequirementSchema))),
  },
  { atomic: true },
);
export interface NodeSelectorTerm extends Infer<typeof NodeSelectorTermSchema> {}

export const NodeSelectorSchema = message(
  'io.k8s.api.core.v1.NodeSelector',
  {
    nodeSelectorTerms: always(1, list(of(NodeSelectorTermSchema))),
  },
  { atomic: true },
);
export interface NodeSelector extends Infer<typeof NodeSelectorSchema> {}

export const PreferredSchedulingTermSchema = message('io.k8s.api.core.v1.PreferredSchedulingTerm', {
  weight: always(1, int32),
  preference: always(2, of(NodeSelectorTermSchema)),
});
export interface PreferredSchedulingTerm extends Infer<typeof PreferredSchedulingTermSchema> {}

const TopologySelectorLabelRequirementSchema = message('io.k8s.api.core.v1.TopologySelectorLabelRequirement', {
  key: always(1, string),
  values: always(2, list(string)),
});
export interface TopologySelectorLabelRequirement extends Infer<typeof TopologySelectorLabelRequirementSchema> {}

export const TopologySelectorTermSchema = message(
  'io.k8s.api.core.v1.TopologySelectorTerm',
  {
    matchLabelExpressions: omitempty(1, list(of(TopologySelectorLabelRequirementSchema))),
  },
  { atomic: true },
);
export interface TopologySelectorTerm extends Infer<typeof TopologySelectorTermSchema> {}

export const TaintSchema = message('io.k8s.api.core.v1.Taint', {
  key: always(1, string),
  value: omitempty(2, string),
  effect: always(3, string),
  timeAdded: pointer(4, time),
});
export interface Taint extends Infer<typeof TaintSchema> {}

export const TolerationSchema = message('io.k8s.api.core.v1.Toleration', {
  key: omitempty(1, string),
  operator: omitempty(2, string),
  value: omitempty(3, string),
  effect: omitempty(4, string),
  tolerationSeconds: pointer(5, int64),
});
export interface Toleration extends Infer<typeof TolerationSchema> {}
