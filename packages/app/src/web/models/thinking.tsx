/** How long models think before they answer, for all chats; saved as it is chosen. */
import type { VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import { api } from "../api.ts";
import { t } from "./texts.ts";
import { Segments } from "./segments.tsx";
import { tell } from "../ui/tell.ts";

interface Settings {
  readonly values: { readonly agent: { readonly thinking: string } };
}

const LEVELS = ["off", "low", "medium", "high"] as const;

export function ThinkingLevel(): VNode | null {
  const [level, setLevel] = useState<string>();
  useEffect(() => {
    void api.get<Settings>("/settings").then(
      ({ body }) => setLevel(body.values.agent.thinking),
      () => undefined, // a model can be chosen without it
    );
  }, []);
  if (level === undefined) return null;
  const save = async (thinking: string): Promise<void> => {
    const { etag } = await api.get("/settings");
    await api.patch("/settings", { agent: { thinking } }, etag === null ? {} : { ifMatch: etag });
    setLevel(thinking);
  };
  return (
    <Segments
      label={t("level")}
      value={level}
      onValue={(next) => void tell(save(next))}
      options={LEVELS.map((value) => ({ value, label: t(`level_${value}`) }))}
    />
  );
}
