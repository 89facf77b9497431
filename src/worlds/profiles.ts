/** The Kubernetes versions whose behaviour can be played; rooms keep the texts and switches that differ. */
export const PROFILES: readonly string[] = [
  '1.25',
  '1.26',
  '1.27',
  '1.28',
  '1.29',
  '1.30',
  '1.31',
  '1.32',
  '1.33',
  '1.34',
  '1.35',
  '1.36.3',
  '1.37',
];
/** The version of the recordings. */
export const DEFAULT_PROFILE = '1.36.3';
