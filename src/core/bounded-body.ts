// Reads a whole body, counting its bytes as they arrive, whatever its Content-Length says.

/** The whole body; undefined, with the stream cancelled if it allows that, if it has more than `maxBytes`. Rejects if the stream fails. */
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
  if (chunks.length === 1) return chunks[0];
  return new Uint8Array(await new Blob(chunks).arrayBuffer());
}
