/** The body of an answer as text; `undefined` when it is longer than the limit, beyond which nothing is read. */
export async function readText(response: Response, limit_bytes: number): Promise<string | undefined> {
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  // Leaving the loop cancels the stream, so no more than the limit is ever held.
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > limit_bytes) return undefined;
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}
