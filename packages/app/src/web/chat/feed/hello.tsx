/** An empty chat: what this is, and three things to try. */
import type { VNode } from "preact";
import { t } from "../../texts/chat.ts";
import type { Chat } from "../../store/chat-state.ts";
import { Mark } from "../../ui/mark.tsx";

const EXAMPLES = ["example.1", "example.2", "example.3"] as const;

export function Hello({ chat }: { chat: Chat }): VNode {
  return (
    <div class="hello">
      <Mark size={48} />
      <h2>{t("feed.hello")}</h2>
      <p class="muted">{t("feed.hello.hint")}</p>
      <ul>
        {EXAMPLES.map((key) => (
          <li key={key}>
            <button type="button" onClick={() => chat.send([{ type: "text", text: t(key) }])}>
              <span>{t(key)}</span>
              <span class="muted small">{t(`${key}.note`)}</span>
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}
