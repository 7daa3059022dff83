/** What a person wrote: plain text with links, nothing else; the whole of a long one on demand. */
import type { Cut } from "@margay/core/internal/state";
import type { ComponentChild, VNode } from "preact";
import { useState } from "preact/hooks";
import { api } from "../../api.ts";
import { t } from "../../texts/chat.ts";
import { bytes } from "../../texts/format.ts";
import { Button } from "../../ui/button.tsx";
import { tell } from "../../ui/tell.ts";

const URL_TEXT = /https?:\/\/[^\s<>"'`]+[^\s<>"'`.,;:!?)\]}。，；：！？）】」』]/g;

export function UserText({ text, cut }: { text: string; cut: Cut | undefined }): VNode {
  const [whole, setWhole] = useState<string>();
  const load = async (): Promise<void> => {
    const { body } = await api.get<{ parts?: readonly { text?: string }[] }>(apiPath(cut?.href ?? ""));
    setWhole((body.parts ?? []).map((part) => part.text ?? "").join(""));
  };
  return (
    <div class="user-text" dir="auto">
      {linked(whole ?? text)}
      {cut && whole === undefined && (
        <div>
          <Button size="small" onClick={() => void tell(load())}>
            {t("item.whole", { size: bytes(cut.bytes) })}
          </Button>
        </div>
      )}
    </div>
  );
}

/** The part of an `href` of the gateway below the API's base. */
export function apiPath(href: string): string {
  return href.replace(/^\/api\/v1/, "");
}

function linked(text: string): ComponentChild[] {
  const nodes: ComponentChild[] = [];
  let from = 0;
  for (const match of text.matchAll(URL_TEXT)) {
    nodes.push(
      text.slice(from, match.index),
      <a key={match.index} href={match[0]} target="_blank" rel="noopener noreferrer nofollow">
        {match[0]}
      </a>,
    );
    from = match.index + match[0].length;
  }
  nodes.push(text.slice(from));
  return nodes;
}
