/** Random ids that need no secure context: plain HTTP on a LAN has no `randomUUID`. */
export function randomId(kind: string): string {
  const bytes = crypto.getRandomValues(new Uint8Array(12));
  return `${kind}-${Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}
