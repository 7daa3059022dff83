/** Servers from the JSON of other programs: looked at first, then added. */
import { useState } from "preact/hooks";
import type { z } from "zod";
import type { McpImportResult } from "../schema.ts";
import { c } from "../../../web/texts/panels-common.ts";
import { t } from "./texts.ts";
import { TextArea } from "../../../web/ui/field.tsx";
import { Table } from "../../../web/ui/table.tsx";
import { toast } from "../../../web/ui/toast.tsx";
import { Act, Outcome, useAct } from "../../../web/panel-kit/act.tsx";
import { api } from "../../../web/panel-kit/api.ts";

type Result = z.infer<typeof McpImportResult>;

export function Import({ done }: { readonly done: () => void }) {
  const [text, setText] = useState("");
  const [fault, setFault] = useState<string | undefined>(undefined);
  const [look, setLook] = useState<Result | undefined>(undefined);
  const acting = useAct();
  const send = async (token: string | undefined): Promise<Result | undefined> => {
    let parsed: unknown;
    try {
      parsed = JSON.parse(text);
    } catch (error) {
      setFault(c("notJson", { reason: error instanceof Error ? error.message : String(error) }));
      return undefined;
    }
    setFault(undefined);
    const given = typeof parsed === "object" && parsed !== null && "mcpServers" in parsed ? parsed.mcpServers : parsed;
    return (await api.post<Result>("/mcp/import", { mcpServers: given, ...(token !== undefined && { token }) })).body;
  };
  const apply = async (): Promise<void> => {
    if (look === undefined) return;
    await send(look.token);
    toast(t("importDone"));
    done();
  };
  return (
    <section class="p-card stack">
      <TextArea
        label={t("import")}
        hint={t("importWhy")}
        fault={fault}
        value={text}
        onValue={(next) => {
          setText(next);
          setLook(undefined);
        }}
        spellcheck={false}
        class="textarea p-mono"
      />
      <Outcome of={acting} />
      {look !== undefined && (
        <>
          <Table
            caption={t("import")}
            rows={look.servers}
            rowKey={({ name }) => name}
            columns={[
              { id: "name", title: c("name"), cell: ({ name }) => name },
              { id: "what", title: t("what"), cell: ({ what }) => <span class="p-mono">{what}</span> },
              { id: "action", title: c("actions"), cell: ({ action }) => t(`action_${action}`) },
            ]}
          />
          {look.warnings.map((warning) => (
            <p key={warning} class="p-warn">
              {warning}
            </p>
          ))}
        </>
      )}
      <div class="p-row">
        <Act acting={acting} work={async () => setLook(await send(undefined))} disabled={text.trim() === ""}>
          {t("importLook")}
        </Act>
        {look !== undefined && (
          <Act acting={acting} work={apply} kind="primary">
            {t("importApply")}
          </Act>
        )}
      </div>
    </section>
  );
}
