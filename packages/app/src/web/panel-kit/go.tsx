/** Links between pages: real addresses, so they can be opened in a new tab and bookmarked. */
import type { ComponentChildren } from "preact";
import { addressOf, followLink } from "../lib/route.ts";

interface Props {
  /** `cron`, `cron/<id>`. */
  readonly to: string;
  readonly children: ComponentChildren;
  readonly class?: string;
}

export function PanelLink({ to, children, class: className = "p-link" }: Props) {
  const target = { page: "chat", panel: to } as const;
  return (
    <a href={addressOf(target)} class={className} onClick={(event) => followLink(event, target)}>
      {children}
    </a>
  );
}

interface ChatProps {
  readonly session: string;
  readonly item?: string | undefined;
  readonly children: ComponentChildren;
}

/** To a chat, or to one item of it. */
export function ChatLink({ session, item, children }: ChatProps) {
  const target = { page: "chat", session, item } as const;
  return (
    <a class="p-link" href={addressOf(target)} onClick={(event) => followLink(event, target)}>
      {children}
    </a>
  );
}
