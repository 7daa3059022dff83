/** The two live regions of the page. */
import type { VNode } from "preact";
import { assertive, polite } from "../lib/announce.ts";

export function Announcer(): VNode {
  return (
    <>
      <div class="visually-hidden" aria-live="polite" data-region="polite">
        {polite}
      </div>
      <div class="visually-hidden" aria-live="assertive">
        {assertive}
      </div>
    </>
  );
}
