/** By upstream's flags; what is absent has upstream's default. */
export interface NodeLifecycleSettings {
  /** The Kubernetes version whose behaviour is played: `1.36.3`. */
  readonly profile?: string;
}
