// A whole body in memory, but never more of it than its reader can bear:
// bytes are counted as they come, whatever a Content-Length says.

/** Reads to the end; undefined, with the stream cancelled, where there are more than `maxBytes`. Rejects where the stream breaks off. */
export async function boundedBody(
  stream: ReadableStream<Uint8Array> | null,
  maxBytes: number,
): Promise<Uint8Array | undefined> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of stream ?? []) {
    length += chunk.byteLength;
    // Leaving the loop cancels the stream: nothing more is read.
    if (length > maxBytes) return undefined;
    chunks.push(chunk);
  }
  const [first] = chunks;
  if (first !== undefined && chunks.length === 1) return first;
  const whole = new Uint8Array(length);
  let offset = 0;
  for (const chunk of chunks) {
    whole.set(chunk, offset);
    offset += chunk.byteLength;
  }
  return whole;
}
