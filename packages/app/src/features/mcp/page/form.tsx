/** Adding or changing a server: the literal command is confirmed, then tested, then saved. */
import { useState } from "preact/hooks";
import type { z } from "zod";
import type { McpServerView, McpTestResult } from "../schema.ts";
import { c } from "../../../web/texts/panels-common.ts";
import { t } from "./texts.ts";
import { openPanel } from "../../../web/lib/route.ts";
import { Button } from "../../../web/ui/button.tsx";
import { Control, Row } from "../../../web/ui/schema-form.tsx";
import { toast } from "../../../web/ui/toast.tsx";
import { Act, Outcome, useAct } from "../../../web/panel-kit/act.tsx";
import { api, faultsOf } from "../../../web/panel-kit/api.ts";
import { useConfirm } from "../../../web/panel-kit/confirm.tsx";
import { useDraft } from "../../../web/panel-kit/draft.ts";
import { withRemovals } from "../../../web/panel-kit/removals.ts";
import { useResource } from "../../../web/panel-kit/resource.ts";
import { TestSteps } from "../../../web/panel-kit/test-steps.tsx";
import { Head, Offered, Program, Remote, type Draft } from "./form-fields.tsx";
import type { ToolLine } from "./tool-choice.tsx";

export function ServerForm({ server }: { readonly server: McpServerView | undefined }) {
  const { draft, value, edit, acting, faults, result, tools, test, save, remove, ...asked } = useEditing(server);
  const { literal, needsConfirm, confirmed, setConfirmed } = asked;
  const confirm = useConfirm();
  const ready =
    value.name !== "" &&
    (value.transport === "http" ? value.url !== "" : value.command !== "" && (!needsConfirm || confirmed));
  return (
    <div class="stack p-narrow">
      <Head value={value} isNew={server === undefined} edit={edit} />
      {value.transport === "stdio" ? (
        <Program
          value={value}
          edit={edit}
          faults={faults}
          literal={literal}
          confirming={needsConfirm && value.command !== ""}
          confirmed={confirmed}
          setConfirmed={setConfirmed}
        />
      ) : (
        <Remote value={value} edit={edit} faults={faults} />
      )}
      <Offered value={value} edit={edit} tools={tools} />
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

/** The draft of a server: what is asked before it is saved, its test, and what its buttons do. */
function useEditing(server: McpServerView | undefined) {
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
  const faults = faultsOf(acting.problem);
  const literal = literalOf(value);
  const needsConfirm = value.transport === "stdio" && literal !== [server?.command, ...(server?.args ?? [])].join(" ");
  const edit = (change: Partial<Draft>): void => {
    if (!("include" in change)) setResult(undefined);
    const isOther = "command" in change || "args" in change;
    if (isOther) setConfirmed(false);
    draft.change({ ...value, ...(isOther && { sandbox: true }), ...change }); // what was allowed to one is not to another
  };
  const body = () => ({ ...bodyOf(value, server), ...(needsConfirm && { confirm: literal }) });
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
  return {
    draft,
    value,
    edit,
    acting,
    faults,
    result,
    tools,
    literal,
    needsConfirm,
    confirmed,
    setConfirmed,
    test,
    save,
    remove,
  };
}

const argsOf = (value: Draft): readonly string[] => value.args.split("\n").filter((line) => line.trim() !== "");
const literalOf = (value: Draft): string => [value.command, ...argsOf(value)].join(" ");

function bodyOf(value: Draft, server: McpServerView | undefined) {
  return {
    ...(value.transport === "stdio"
      ? {
          command: value.command,
          args: argsOf(value),
          env: withRemovals(server?.env, value.env),
          sandbox: value.sandbox,
        }
      : { url: value.url, headers: withRemovals(server?.headers, value.headers) }),
    include: value.include.filter((one) => one.trim() !== ""),
    enabled: value.enabled,
  };
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
