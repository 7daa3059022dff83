/** Adding or changing a server: the literal command is confirmed, then tested, then saved. */
import { useState } from "preact/hooks";
import type { z } from "zod";
import type { McpServerView, McpTestResult } from "../schema.ts";
import { c } from "../../../web/texts/panels-common.ts";
import { t } from "./texts.ts";
import { openPanel } from "../../../web/lib/route.ts";
import { Button } from "../../../web/ui/button.tsx";
import { Check, Select, TextArea, TextField } from "../../../web/ui/field.tsx";
import { Control, Row } from "../../../web/ui/schema-form.tsx";
import { toast } from "../../../web/ui/toast.tsx";
import { Act, Outcome, useAct } from "../../../web/panel-kit/act.tsx";
import { api, faultsOf } from "../../../web/panel-kit/api.ts";
import { useConfirm } from "../../../web/panel-kit/confirm.tsx";
import { useDraft } from "../../../web/panel-kit/draft.ts";
import { withRemovals } from "../../../web/panel-kit/removals.ts";
import { useResource } from "../../../web/panel-kit/resource.ts";
import { TestSteps } from "../../../web/panel-kit/test-steps.tsx";
import { ToolChoice, type ToolLine } from "./tool-choice.tsx";

interface Draft {
  readonly name: string;
  readonly transport: "stdio" | "http";
  readonly command: string;
  readonly args: string;
  readonly url: string;
  readonly env: unknown;
  readonly headers: unknown;
  readonly include: readonly string[];
  readonly sandbox: boolean;
  readonly enabled: boolean;
}

export function ServerForm({ server }: { readonly server: McpServerView | undefined }) {
  const draft = useDraft<Draft>(`mcp/${server?.name ?? "~new"}`, read(server), server?.hash);
  const { value } = draft;
  const [confirmed, setConfirmed] = useState(false);
  const [result, setResult] = useState<z.infer<typeof McpTestResult> | undefined>(undefined);
  const isSame = server !== undefined && sourceOf(value) === sourceOf(read(server));
  const listed = useResource<readonly ToolLine[]>(
    isSame ? `/mcp/servers/${encodeURIComponent(server.name)}/tools` : undefined,
    "mcp",
  );
  const tools = result?.tools ?? listed.data ?? [];
  const acting = useAct();
  const confirm = useConfirm();
  const faults = faultsOf(acting.problem);
  const args = value.args.split("\n").filter((line) => line.trim() !== "");
  const literal = [value.command, ...args].join(" ");
  const needsConfirm = value.transport === "stdio" && literal !== [server?.command, ...(server?.args ?? [])].join(" ");
  const edit = (change: Partial<Draft>): void => {
    if (!("include" in change)) setResult(undefined);
    const isOther = "command" in change || "args" in change;
    if (isOther) setConfirmed(false);
    draft.change({ ...value, ...(isOther && { sandbox: true }), ...change }); // what was allowed to one is not to another
  };
  const body = () => ({
    ...(value.transport === "stdio"
      ? { command: value.command, args, env: withRemovals(server?.env, value.env), sandbox: value.sandbox }
      : { url: value.url, headers: withRemovals(server?.headers, value.headers) }),
    include: value.include.filter((one) => one.trim() !== ""),
    enabled: value.enabled,
    ...(needsConfirm && { confirm: literal }),
  });
  const path = `/mcp/servers/${encodeURIComponent(value.name)}`;
  const test = async (): Promise<void> => {
    setResult((await api.post<z.infer<typeof McpTestResult>>("/mcp/test", { name: value.name, ...body() })).body);
  };
  const save = async (): Promise<void> => {
    await api.put(path, body(), server === undefined ? { ifNoneMatch: "*" } : { ifMatch: `"${server.hash}"` });
    draft.discard();
    toast(t("saved", { name: value.name }));
    openPanel(`mcp/${value.name}`);
  };
  const remove = (): void =>
    void acting.run(async () => {
      await api.delete(path, { ifMatch: `"${server?.hash ?? ""}"` });
      toast(t("removed", { name: value.name }));
      openPanel("mcp");
    });
  const ready =
    value.name !== "" &&
    (value.transport === "http" ? value.url !== "" : value.command !== "" && (!needsConfirm || confirmed));
  return (
    <div class="stack p-narrow">
      {server === undefined && <h3>{t("add")}</h3>}
      {server === undefined && (
        <TextField
          label={t("name")}
          hint={t("nameWhy")}
          value={value.name}
          onValue={(name) => edit({ name })}
          spellcheck={false}
          maxLength={32}
        />
      )}
      <Select
        label={t("transport")}
        value={value.transport}
        onValue={(transport) => edit({ transport: transport === "http" ? "http" : "stdio" })}
        options={[
          { value: "stdio", label: t("stdio") },
          { value: "http", label: t("http") },
        ]}
      />
      {value.transport === "stdio" ? (
        <>
          <TextField
            label={t("command")}
            value={value.command}
            onValue={(command) => edit({ command })}
            spellcheck={false}
            fault={faults.get("/command")}
          />
          <TextArea
            label={t("args")}
            value={value.args}
            onValue={(next) => edit({ args: next })}
            spellcheck={false}
            rows={3}
          />
          <Pairs title={t("env")} value={value.env} onChange={(env) => edit({ env })} />
          <Row title={t("sandbox")} help={t("sandboxWhy")} inline>
            {(id, describedBy) => (
              <Control
                id={id}
                describedBy={describedBy}
                shape={{ is: "boolean" }}
                value={value.sandbox}
                onChange={(next) => edit({ sandbox: next === true })}
              />
            )}
          </Row>
          {needsConfirm && value.command !== "" && (
            <div class="note-box warn">
              <div class="stack grow">
                <span>{t("literal")}</span>
                <pre class="p-code">{literal}</pre>
                <Check label={t("confirm")} checked={confirmed} onChecked={setConfirmed} />
              </div>
            </div>
          )}
        </>
      ) : (
        <>
          <TextField
            label={t("url")}
            value={value.url}
            onValue={(url) => edit({ url })}
            inputMode="url"
            spellcheck={false}
            fault={faults.get("/url")}
          />
          <Pairs title={t("headers")} value={value.headers} onChange={(headers) => edit({ headers })} />
        </>
      )}
      {tools.length > 0 ? (
        <ToolChoice
          server={value.name}
          tools={tools}
          include={value.include}
          onChange={(include) => edit({ include })}
        />
      ) : (
        <Row title={t("include")} help={t("includeWhy")} group>
          {(id) => (
            <Control
              id={id}
              shape={{ is: "list", of: { is: "text", long: false } }}
              value={value.include}
              onChange={(next) => edit({ include: Array.isArray(next) ? next.map(String) : [] })}
            />
          )}
        </Row>
      )}
      <Row title={t("enabled")} inline>
        {(id) => (
          <Control
            id={id}
            shape={{ is: "boolean" }}
            value={value.enabled}
            onChange={(next) => edit({ enabled: next === true })}
          />
        )}
      </Row>
      <Outcome of={acting} />
      {result !== undefined && <TestSteps result={result} good={t("testOk")} bad={t("testBad")} />}
      {confirm.dialog}
      <div class="p-row">
        <Act acting={acting} work={test} icon="plug" disabled={!ready}>
          {t("test")}
        </Act>
        <Act acting={acting} work={save} kind="primary" disabled={!ready || draft.state === "saved"}>
          {c("save")}
        </Act>
        {draft.state !== "saved" && <Button onClick={draft.discard}>{c("discard")}</Button>}
        {server !== undefined && (
          <Button
            kind="danger"
            onClick={() =>
              confirm.ask({
                title: c("remove"),
                text: t("removeAsk", { name: server.name }),
                yes: c("remove"),
                go: remove,
              })
            }
          >
            {c("remove")}
          </Button>
        )}
      </div>
    </div>
  );
}

interface PairsProps {
  readonly title: string;
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
}

function Pairs({ title, value, onChange }: PairsProps) {
  return (
    <Row title={title} group>
      {(id) => <Control id={id} shape={{ is: "map", of: { is: "secret" } }} value={value} onChange={onChange} />}
    </Row>
  );
}

/** Which program or address its tools are of. */
function sourceOf({ transport, command, args, url }: Draft): string {
  return transport === "http" ? url : `${command}\n${args}`;
}

function read(server: McpServerView | undefined): Draft {
  return {
    name: server?.name ?? "",
    transport: server?.transport ?? "stdio",
    command: server?.command ?? "",
    args: (server?.args ?? []).join("\n"),
    url: server?.url ?? "",
    env: server?.env ?? {},
    headers: server?.headers ?? {},
    include: server?.include ?? ["*"],
    sandbox: server?.sandbox ?? true,
    enabled: server?.enabled ?? true,
  };
}
