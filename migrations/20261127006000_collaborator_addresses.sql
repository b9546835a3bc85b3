-- A collaborator whose email address changes in the external system keeps its points: activity sync finds it by its id there.

set local lock_timeout = '3s';

grant update (email) on public.collaborators to api;

comment on column public.collaborators.external_id is
  'Id in the caller''s system; several collaborators may share it. An unknown email address that comes with it is a changed address.';
