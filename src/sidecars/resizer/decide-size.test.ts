import { describe, expect, it } from 'vitest';
import { type SizeFacts, decideSize } from './decide-size.ts';

const facts = (parts: Partial<SizeFacts>): SizeFacts => ({
  request: '10Gi',
  volumeSize: '1Gi',
  allocated: undefined,
  resizeStatus: undefined,
  hasFinalError: false,
  growsAtController: true,
  isFileSystemResizePending: false,
  ...parts,
});
const LEAVE = { type: 'leave' };
const to = (size: string) => ({ type: 'resize', size });
const alloc = (allocated: string, resizeStatus?: string): Partial<SizeFacts> => ({ allocated, resizeStatus });

describe('the size a driver is asked for', () => {
  it.each<[string, Partial<SizeFacts>, object]>([
    ['T84 first growth', {}, to('10Gi')],
    ['T85 the last size is infeasible', alloc('20Gi', 'ControllerResizeInfeasible'), to('10Gi')],
    ['T86 the last size may be under way', alloc('20Gi', 'ControllerResizeInProgress'), to('20Gi')],
    [
      'the last size failed for certain',
      { ...alloc('20Gi', 'ControllerResizeInProgress'), hasFinalError: true },
      to('10Gi'),
    ],
    ['begun without a size', { resizeStatus: 'ControllerResizeInProgress' }, to('10Gi')],
    ['T87 the node is at a smaller size', { ...alloc('3Gi', 'NodeResizePending'), volumeSize: '3Gi' }, LEAVE],
    ['the node has begun a smaller size', { ...alloc('3Gi', 'NodeResizeInProgress'), volumeSize: '3Gi' }, LEAVE],
    ['the node waits for more than the volume has', alloc('3Gi', 'NodeResizePending'), to('3Gi')],
    ['the node cannot', { ...alloc('3Gi', 'NodeResizeInfeasible'), volumeSize: '3Gi' }, to('3Gi')],
    ['no status, an old size', alloc('3Gi'), to('10Gi')],
  ])('P-RZ-3 volume smaller than the request, %s -> decided so', (_situation, parts, expected) => {
    expect(decideSize(facts(parts))).toEqual(expected);
  });

  it.each<[string, Partial<SizeFacts>, object]>([
    ['the node is to act', alloc('20Gi', 'NodeResizePending'), LEAVE],
    ['the node acts', alloc('20Gi', 'NodeResizeInProgress'), LEAVE],
    ['the node cannot', alloc('20Gi', 'NodeResizeInfeasible'), to('20Gi')],
    [
      'the node cannot, and it alone grows',
      { ...alloc('20Gi', 'NodeResizeInfeasible'), growsAtController: false },
      to('10Gi'),
    ],
    ['grown but not written down', alloc('20Gi', 'ControllerResizeInProgress'), to('20Gi')],
    ['lowered after a refusal', alloc('20Gi', 'ControllerResizeInfeasible'), to('20Gi')],
    ['a size without status', alloc('20Gi'), to('20Gi')],
    ['an older server, the node is to act', { isFileSystemResizePending: true }, LEAVE],
    ['an older server', {}, to('10Gi')],
  ])('P-RZ-3 volume at least the request, %s -> decided so', (_situation, parts, expected) => {
    expect(decideSize(facts({ volumeSize: '20Gi', ...parts }))).toEqual(expected);
  });
});
