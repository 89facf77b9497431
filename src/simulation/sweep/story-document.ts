// A story as the file that tells it: what a sweep draws, shrinks and prints, and what the reader of stories reads.
import { stringify } from 'yaml';
import type { Story } from '../story.ts';
import { readStory } from '../story-file.ts';

export interface StoryDocument {
  readonly name: string;
  readonly about: string;
  readonly seed: number;
  readonly lasts: string;
  readonly settles: string;
  readonly cluster: Readonly<Record<string, unknown>>;
  readonly steps: readonly StepDocument[];
}

export interface StepDocument {
  readonly at: string;
  readonly mayBeRefused?: boolean;
  readonly apply?: object;
  readonly patch?: object;
  readonly delete?: string | object;
  readonly fault?: object;
  readonly for?: string;
}

export const isFaultStep = ({ fault }: StepDocument): boolean => fault !== undefined;

/** The text of a file that `mooring sim run` plays. */
export function printDocument(document: StoryDocument): string {
  return stringify(document, { lineWidth: 120, aliasDuplicateObjects: false });
}

export function storyOf(document: StoryDocument): Story {
  return readStory(`${document.name}.yaml`, printDocument(document));
}

export const milliseconds = (ms: number): string => `${ms}ms`;
