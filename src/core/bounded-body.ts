// Reads a whole body into memory, up to a limit. The bytes are counted as they
// arrive; Content-Length is not used.

/** The whole body; undefined, with the stream cancelled unless it prevents that, if it has more than `maxBytes`. Rejects if the stream breaks off. */
export async function boundedBody(
  stream: AsyncIterable<Uint8Array<ArrayBuffer>> | null,
  maxBytes: number,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let length = 0;
  for await (const chunk of stream ?? []) {
    length += chunk.byteLength;
    // Returning from the loop cancels the stream.
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
