import { describeError, logFault } from '../platform/log.ts';

/** What a log says of an answer that breaks off. */
interface BrokenOff {
  readonly fault: string;
  readonly requestId: string;
}

/** Sends text as it comes, a piece whenever the reader has room. A piece that fails breaks the answer off. */
export function streamPieces(
  pieces: AsyncGenerator<string, void, undefined>,
  { fault, requestId }: BrokenOff,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const next = await pieces.next();
          if (next.done === true) controller.close();
          else controller.enqueue(encoder.encode(next.value));
        } catch (error) {
          logFault(fault, { requestId, error: describeError(error) });
          controller.error(error);
        }
      },
      async cancel() {
        await pieces.return();
      },
    },
    { highWaterMark: 1 },
  );
}
