/** Who gets what nobody asked for: the last private chat, these pages, or a chat that is named. */
import { useState } from "preact/hooks";
import { t } from "./texts.ts";
import { Select, TextField } from "../../../web/ui/field.tsx";

interface TargetProps {
  /** `last`, `web`, or `channel:chat`, with `?thread=ID` for a thread of it. */
  readonly value: string;
  readonly fault: string | undefined;
  readonly onChange: (value: string) => void;
}

const NAMED = "chat";

export function TargetField({ value, fault, onChange }: TargetProps) {
  const isNamed = value !== "last" && value !== "web";
  const [open, setOpen] = useState(isNamed);
  const choose = (choice: string): void => {
    setOpen(choice === NAMED);
    if (choice !== NAMED) onChange(choice);
  };
  return (
    <>
      <Select
        label={t("target")}
        value={open ? NAMED : value}
        options={[
          { value: "last", label: t("targetLast") },
          { value: "web", label: t("targetWeb") },
          { value: NAMED, label: t("targetChat") },
        ]}
        onValue={choose}
      />
      {open && (
        <TextField
          label={t("targetName")}
          value={isNamed ? value : ""}
          placeholder="channel:chat?thread=ID"
          onValue={(chat) => onChange(chat.trim() === "" ? "last" : chat.trim())}
          fault={fault}
          spellcheck={false}
        />
      )}
    </>
  );
}
