import { checkedProviders, group, integer, text } from "./setting.ts";

/** How prices are compared with a list, now and then. */
export const priceCheckSettings = group(
  "A check that compares the prices in force with a price list, and tells when they differ. It changes nothing. One process at a time checks.",
  {
    list: text(
      {
        pattern: /^(?:off|shipped|litellm|models\.dev|https?:\/\/[^\s/?#@]+(?:\/[^\s#]*)?)$/,
        fallback: "off",
        expected: "off, shipped, litellm, models.dev, or a URL that starts with http:// or https://",
      },
      "The list: `litellm` or `models.dev`, downloaded from where they are published; the URL of a list in one of these forms; `shipped`, the list in the package, without a download, until it is 45 days old. `off` checks nothing.",
    ),
    every_hours: integer(
      { min: 1, max: 720, fallback: 24 },
      "Hours between two checks. A check that failed is repeated after an hour. After a price was changed, the next check comes within minutes.",
    ),
    providers: checkedProviders(
      "Providers of the catalogue whose prices are compared, separated by commas: `NAME`, or `NAME=VENDOR` if the list has another name for it, each with `*FACTOR` if you import it at a markup, such as `openai*1.2,google=gemini`. If empty, all providers are compared by their own names, at the prices of the list.",
    ),
  },
);
