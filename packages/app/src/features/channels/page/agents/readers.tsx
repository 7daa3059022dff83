/** Whose conversations may work with an agent: words, persons and groups to tick, and the rest to write. */
import { useState } from "preact/hooks";
import { t } from "./texts.ts";
import { Check, TextArea } from "../../../../web/ui/field.tsx";
import { Row } from "../../../../web/ui/schema-form.tsx";
import type { Parts } from "./types.ts";

const WORDS = ["owner", "household", "group", "guest", "public"] as const;

interface Props extends Pick<Parts, "view" | "people"> {
  readonly value: unknown;
  readonly fault: string | undefined;
  readonly onChange: (value: readonly string[]) => void;
}

export function ReadersField({ value, fault, onChange, ...parts }: Props) {
  const chosen: readonly string[] = Array.isArray(value) ? value.map(String) : [];
  const offered = [
    ...WORDS,
    ...parts.people.map(({ person }) => person),
    ...parts.view.groups.map(({ channel, chat }) => `group:${channel}:${chat}`),
  ];
  const [last, setLast] = useState<Written | undefined>(undefined);
  // What was discarded, or came from elsewhere, is shown as it is.
  const { ticked, lines } = last !== undefined && isAll(last, chosen) ? last : parted(chosen, offered);
  const put = (next: Written): void => {
    setLast(next);
    onChange([...new Set([...next.ticked, ...next.lines])]);
  };
  return (
    <>
      <Row title={t("for")} help={t("forWhy")} fault={fault} group>
        {(id) => (
          <div class="p-list" id={id}>
            {offered.map((one) => (
              <Check
                key={one}
                label={readerName(one, parts)}
                checked={ticked.includes(one)}
                onChecked={(on) =>
                  put({ lines, ticked: on ? [...ticked, one] : ticked.filter((other) => other !== one) })
                }
              />
            ))}
          </div>
        )}
      </Row>
      <TextArea
        label={t("forOthers")}
        rows={2}
        spellcheck={false}
        value={lines.join("\n")}
        onValue={(text) => put({ ticked, lines: text === "" ? [] : text.split("\n") })}
      />
    </>
  );
}

/** Where each was said: whoever writes `group:…` has written `group` on the way. */
interface Written {
  readonly ticked: readonly string[];
  readonly lines: readonly string[];
}

function parted(chosen: readonly string[], offered: readonly string[]): Written {
  return {
    ticked: chosen.filter((one) => offered.includes(one)),
    lines: chosen.filter((one) => !offered.includes(one)),
  };
}

function isAll({ ticked, lines }: Written, chosen: readonly string[]): boolean {
  const all = new Set([...ticked, ...lines]);
  return all.size === chosen.length && chosen.every((one) => all.has(one));
}

export function readerName(reader: string, { view, people }: Pick<Parts, "view" | "people">): string {
  const word = WORDS.find((one) => one === reader);
  if (word !== undefined) return t(`for_${word}`);
  const group = view.groups.find(({ channel, chat }) => reader === `group:${channel}:${chat}`);
  if (group !== undefined) return t("forGroup", { name: group.title ?? `${group.channel}:${group.chat}` });
  return people.find(({ person }) => person === reader)?.name ?? reader;
}
