/** `margay plugin list|add|remove`. */
import { EXIT, type Run } from "../../host/cli/command.ts";
import { jsonLine, safeText, table } from "../../host/cli/output.ts";

const WHERE = { absent: "plugin.absent", installed: "plugin.installed", beside: "plugin.beside" } as const;

export const listPlugins: Run = async (cli) => {
  const { listPlugins: list } = await import("./service.ts");
  const plugins = list(cli.places.home);
  if (cli.json) cli.terminal.out(jsonLine({ plugins }));
  else
    cli.terminal.out(
      table(
        plugins.map((plugin) => [
          safeText(plugin.package.replace(/^@margay\//, "")),
          safeText(plugin.name ?? ""),
          safeText(plugin.version ?? "–"),
          cli.t(WHERE[plugin.from ?? "absent"]),
        ]),
      ),
    );
  return EXIT.done;
};

export const addPlugin: Run = async (cli, input) => {
  const { addPlugin: add } = await import("./service.ts");
  const { environment, places, signal, terminal } = cli;
  const added = await add(input.args[0] ?? "", {
    home: places.home,
    env: environment.env,
    currentDirectory: environment.currentDirectory,
    signal,
    onCommand: (command) => terminal.err(`${cli.t("plugin.runs", { command: safeText(command) })}\n`),
  });
  terminal.out(
    cli.json
      ? jsonLine(added)
      : `${cli.t(added.is === "channel" ? "plugin.addedChannel" : "plugin.added", { name: safeText(added.package), version: safeText(added.version), id: added.id })}\n`,
  );
  return EXIT.done;
};

export const removePlugin: Run = async (cli, input) => {
  const { removePlugin: remove } = await import("./service.ts");
  const { environment, places, signal, terminal } = cli;
  const name = await remove(input.args[0] ?? "", {
    home: places.home,
    env: environment.env,
    signal,
    onCommand: (command) => terminal.err(`${cli.t("plugin.runs", { command: safeText(command) })}\n`),
  });
  terminal.out(cli.json ? jsonLine({ removed: name }) : `${cli.t("plugin.removed", { name: safeText(name) })}\n`);
  return EXIT.done;
};
