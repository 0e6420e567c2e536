"""What ``adem`` and ``autojudge`` share: the bilinear forms, their inputs, scale, intervals and domain."""
