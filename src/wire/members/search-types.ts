/** What messages call tools that the provider searches and fetches with, with the date of a version. */
export const MESSAGES_SEARCH = /^(web_search|web_fetch)_\d{8}$/;
/** The same of responses, where the date may be left out. */
export const RESPONSES_SEARCH = /^web_search(_preview)?(_\d{4}_\d\d_\d\d)?$/;
