/** A reference to the identity that a gateway has in a cloud, and with `aws` to a role that it assumes there; without anchors. */
export const CLOUD_REFERENCE = String.raw`google|entra|aws(?::arn:aws[a-z-]*:iam::\d{12}:role\/[\w+.@\/-]{1,512})?`;
