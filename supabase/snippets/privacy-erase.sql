-- Permanently erase name, email address, phone and free text of a person everywhere. Points, money and counts stay
select admin.erase_person('acme', 'ana@acme.example');
