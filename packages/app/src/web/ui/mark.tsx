/** The sign of margay. */
import type { VNode } from "preact";

export function Mark({ size }: { size: number }): VNode {
  return (
    <svg width={size} height={size} viewBox="0 0 32 32" aria-hidden="true" class="mark-sign">
      <path
        fill="#b8622b"
        d="M5 4.500c0-.9 1-1.400 1.700-.8L11.600 8a13 13 0 0 1 8.800 0l4.900-4.300c.7-.6 1.700-.1 1.700.8V17c0 6.600-4.900 11-11 11S5 23.600 5 17z"
      />
      <path
        fill="#fff"
        d="M11.300 15.200a1.900 1.900 0 0 1 1.900 1.900v.6a1.900 1.900 0 0 1-3.800 0v-.6a1.900 1.900 0 0 1 1.900-1.900m9.400 0a1.900 1.900 0 0 1 1.900 1.900v.6a1.900 1.900 0 0 1-3.800 0v-.6a1.900 1.900 0 0 1 1.900-1.900M16 22.800l-1.900-1.900c-.4-.4-.1-1 .4-1h3c.5 0 .8.6.4 1z"
      />
    </svg>
  );
}
