/** Whose conversations may work with an agent: words, persons and groups to tick, and the rest to write. */
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
  const others = chosen.filter((one) => !offered.includes(one));
  return (
    <>
      <Row title={t("for")} help={t("forWhy")} fault={fault} group>
        {(id) => (
          <div class="p-list" id={id}>
            {offered.map((one) => (
              <Check
                key={one}
                label={readerName(one, parts)}
                checked={chosen.includes(one)}
                onChecked={(on) => onChange(on ? [...chosen, one] : chosen.filter((other) => other !== one))}
              />
            ))}
          </div>
        )}
      </Row>
      <TextArea
        label={t("forOthers")}
        rows={2}
        spellcheck={false}
        value={others.join("\n")}
        onValue={(text) =>
          onChange([...chosen.filter((one) => offered.includes(one)), ...(text === "" ? [] : text.split("\n"))])
        }
      />
    </>
  );
}

export function readerName(reader: string, { view, people }: Pick<Parts, "view" | "people">): string {
  const word = WORDS.find((one) => one === reader);
  if (word !== undefined) return t(`for_${word}`);
  const group = view.groups.find(({ channel, chat }) => reader === `group:${channel}:${chat}`);
  if (group !== undefined) return t("forGroup", { name: group.title ?? `${group.channel}:${group.chat}` });
  return people.find(({ person }) => person === reader)?.name ?? reader;
}
