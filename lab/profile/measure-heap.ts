import { Inspector } from './inspector.ts';

/**
 * The bytes of JavaScript objects that a Worker of a local runtime and its objects still need: its heap after all garbage
 * was collected. `url` is the address of that Worker's inspector.
 */
export async function measureLiveHeap(url: string): Promise<number> {
  using inspector = await Inspector.open(url);
  await inspector.ask('HeapProfiler.collectGarbage');
  const heap = await inspector.ask<{ readonly usedSize: number }>('Runtime.getHeapUsage');
  if (!heap) throw new Error('the inspector gave no heap usage');
  return heap.usedSize;
}
