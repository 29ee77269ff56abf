/** Buffers that ibid made and no caller has. */
const own = new WeakSet<ArrayBufferLike>();

/** Says that nobody else will look at these bytes. **Shape** the same bytes. */
export function markOwn<Bytes extends Uint8Array | Uint32Array>(bytes: Bytes): Bytes {
  own.add(bytes.buffer);
  return bytes;
}

/**
 * Gives the memory of bytes back at once, if they are ibid's own: they are empty afterwards. Garbage outside of V8's heap is collected only when there is
 * much of it, so a large file would stay for seconds.
 */
export function letGo({ buffer }: Uint8Array | Uint32Array): void {
  if (own.delete(buffer) && buffer instanceof ArrayBuffer) buffer.transfer?.(0);
}
