/** In slices: one call with a million arguments would overflow the stack. Runs in a browser too. */
export function toBase64(bytes: Uint8Array): string {
  const slices: string[] = [];
  for (let at = 0; at < bytes.length; at += 0x8000)
    slices.push(String.fromCharCode(...bytes.subarray(at, at + 0x8000)));
  return btoa(slices.join(""));
}
