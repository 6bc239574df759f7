alter table provider add column context_window text check (context_window in ('strict'));
