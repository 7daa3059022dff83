/** In a conversation of a chat app: whether answers to what is written here go there too. */
import type { VNode } from "preact";
import { useId } from "preact/hooks";
import { t } from "../../texts/work.ts";
import type { Chat } from "../../store/chat-state.ts";

export function DeliverSwitch({ chat, channel }: { chat: Chat; channel: string }): VNode {
  const name = useId();
  return (
    <fieldset class="deliver grow">
      <legend class="visually-hidden">{t("composer.deliver")}</legend>
      {(["web", "channel"] as const).map((way) => (
        <label key={way} class={chat.deliver.value === way ? "chosen" : undefined}>
          <input
            type="radio"
            name={name}
            checked={chat.deliver.value === way}
            onChange={() => {
              chat.deliver.value = way;
            }}
          />
          {t(`composer.deliver.${way}`, { channel })}
        </label>
      ))}
    </fieldset>
  );
}
