/** Texts of `margay plugin`. */
export const PLUGIN_TEXTS = {
  "about.plugin": "providers and chat platforms that are installed on demand",
  "about.plugin.list": "known and installed plugins",
  "about.plugin.add": "install a plugin by name, folder or tarball, with npm",
  "about.plugin.remove": "uninstall a plugin",
  "plugin.installed": "installed",
  "plugin.beside": "beside margay",
  "plugin.absent": "not installed",
  "plugin.runs": "Running: {command}",
  "plugin.added":
    "{name} {version} is installed. Models are written {id}/MODEL; a margay that runs loads it at its next start.",
  "plugin.addedChannel": "{name} {version} is installed. Set it up on the page Channels, or below channels.{id}.",
  "plugin.removed": "{name} is removed.",
} as const;
