/** Black on white in every theme: that is what phones read. */
export function QrCode({
  size,
  path,
  label,
}: {
  readonly size: number;
  readonly path: string;
  readonly label: string;
}) {
  return (
    <svg class="p-qr" viewBox={`0 0 ${size} ${size}`} role="img" aria-label={label} shape-rendering="crispEdges">
      <rect width={size} height={size} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  );
}
