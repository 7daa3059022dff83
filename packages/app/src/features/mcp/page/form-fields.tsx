/** The fields of a server: a program on this machine, or an address. */
import { Check, Select, TextArea, TextField } from "../../../web/ui/field.tsx";
import { Control, Row } from "../../../web/ui/schema-form.tsx";
import { t } from "./texts.ts";
import { ToolChoice, type ToolLine } from "./tool-choice.tsx";

export interface Draft {
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

interface PartProps {
  readonly value: Draft;
  readonly edit: (change: Partial<Draft>) => void;
}

/** What it is called, and how it is reached. */
export function Head({ value, isNew, edit }: PartProps & { readonly isNew: boolean }) {
  return (
    <>
      {isNew && <h3>{t("add")}</h3>}
      {isNew && (
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
    </>
  );
}

interface ProgramProps extends PartProps {
  readonly faults: ReadonlyMap<string, string>;
  readonly literal: string;
  /** The command is another than the saved one: it has to be read first. */
  readonly confirming: boolean;
  readonly confirmed: boolean;
  readonly setConfirmed: (confirmed: boolean) => void;
}

/** A server that is a program on this machine. */
export function Program({ value, edit, faults, literal, confirming, confirmed, setConfirmed }: ProgramProps) {
  return (
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
      {confirming && (
        <div class="note-box warn">
          <div class="stack grow">
            <span>{t("literal")}</span>
            <pre class="p-code">{literal}</pre>
            <Check label={t("confirm")} checked={confirmed} onChecked={setConfirmed} />
          </div>
        </div>
      )}
    </>
  );
}

/** A server at an address. */
export function Remote({ value, edit, faults }: Pick<ProgramProps, "value" | "edit" | "faults">) {
  return (
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
  );
}

/** Which of its tools are offered: chosen from those it lists, else by name. */
export function Offered({ value, edit, tools }: PartProps & { readonly tools: readonly ToolLine[] }) {
  return (
    <>
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
    </>
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
