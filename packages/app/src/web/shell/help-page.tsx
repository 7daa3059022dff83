/** Help: the documentation, shortcuts, commands in a chat, the doctor, the version. */
import type { SystemView } from "../../features/system/schema.ts";
import { keyTexts } from "./key-texts.ts";
import { t } from "../texts/panels-work.ts";
import { languageTag } from "../texts/texts.ts";
import { keyNames, SHORTCUTS } from "../lib/keys.ts";
import { may } from "../auth.ts";
import { Table } from "../ui/table.tsx";
import { PanelLink } from "../panel-kit/go.tsx";
import { Loaded } from "../panel-kit/loaded.tsx";
import { useResource } from "../panel-kit/resource.ts";
import { PushSwitch } from "../push/push-switch.tsx";

const COMMANDS = ["new", "stop", "help", "status", "model", "persona", "skill", "compact", "resume"] as const;

export function HelpPage() {
  const system = useResource<SystemView>(may("getSystem") ? "/system" : undefined);
  return (
    <div class="stack">
      <section class="p-card">
        <p>{t("helpDocs")}</p>
        <a class="p-link" href={languageTag() === "en" ? "/help/" : "/help/zh-CN/"} target="_blank" rel="noopener">
          {t("toDocs")}
        </a>
      </section>
      {!may("getSettings") && may("getPush") && <PushSwitch />}
      <section class="stack">
        <h3>{t("shortcuts")}</h3>
        <Table
          caption={t("shortcuts")}
          rows={SHORTCUTS}
          rowKey={({ action }) => action}
          columns={[
            {
              id: "keys",
              title: t("keys"),
              cell: ({ keys }) => keyNames(keys).map((key) => <kbd key={key}>{key}</kbd>),
            },
            { id: "does", title: t("does"), wrap: true, cell: ({ action }) => keyTexts(`keys.${action}`) },
          ]}
        />
      </section>
      <section class="stack">
        <h3>{t("commands")}</h3>
        <dl class="p-facts">
          {COMMANDS.filter((name) => may(`/${name}`)).map((name) => [
            <dt key={`${name} name`}>
              <code>/{name}</code>
            </dt>,
            <dd key={name}>{t(`cmd_${name}`)}</dd>,
          ])}
        </dl>
      </section>
      {may("getSystem") && (
        <>
          <section class="p-card">
            <p>{t("helpDoctor")}</p>
            <PanelLink to="system/doctor">{t("toDoctor")}</PanelLink>
          </section>
          <Loaded of={system}>
            {({ version, build, node }) => (
              <p class="p-faint">
                {t("versions")} {version} ({build}), Node {node}
              </p>
            )}
          </Loaded>
        </>
      )}
    </div>
  );
}
